/** Commands whose harm is done elsewhere: registries, clouds, clusters, containers. */
import type { Finding } from '../rules.js';
import { danger, hasFlag, operandsOf, type Call } from './common.js';

const PUBLISHERS =
  /^(npm|pnpm|yarn|bun|cargo|gem|twine|poetry|flit|hatch|uv|lerna|nx|vsce|ovsx|mvn|gradle|pod|dotnet|nuget|helm|docker|podman|conan|mix|pub|dart|jsr|changeset|semantic-release|np|release-it|goreleaser)$/;
const CLOUDS =
  /^(aws|gcloud|gsutil|az|kubectl|oc|helm|terraform|tofu|terragrunt|pulumi|doctl|heroku|flyctl|fly|vercel|netlify|firebase|eksctl|linode-cli|hcloud|ibmcloud|s3cmd|rclone|gh|glab|cdk|sam|serverless|sls|wrangler|railway|supabase|ansible|ansible-playbook|mc|nomad|consul|vault|prisma)$/;
const REMOVES =
  /^(delete|destroy|rm|rb|remove|terminate|purge|uninstall|del|drop|drain|cordon|reset|down|nuke|delete-.*|terminate-.*|remove-.*|deregister-.*|apps:destroy|db:.*|state|taint|force-unlock|apply|rollback|scale|replace|mb|sync|projects:delete|firestore:delete|purgeconfig|evict|migrate)$/;

export function dangerousRemote(call: Call): Finding[] {
  const { program } = call;
  const operands = operandsOf(call).map(({ value }) => value);
  const publishes =
    /^(publish|unpublish|deprecate|yank|owner|access|dist-tag|push|upload|deploy|release|login|adduser|token|npm)$/;
  if (
    PUBLISHERS.test(program) &&
    operands.slice(0, 3).some((word) => publishes.test(word)) &&
    !isScriptName(program, operands)
  ) {
    return [danger('dangerous.publish', `${program} changes what others get from a registry.`, call)];
  }
  if (/^(np|semantic-release|goreleaser|release-it)$/.test(program))
    return [danger('dangerous.publish', `${program} publishes a release.`, call)];
  if (
    CLOUDS.test(program) &&
    (operands.slice(0, 4).some((word) => REMOVES.test(word)) ||
      hasFlag(call, '', '--delete', '--destroy', '--auto-approve', '--force-reset', '--accept-data-loss'))
  ) {
    return [danger('dangerous.cloud', `${program} deletes or replaces what runs on other machines.`, call)];
  }
  if (/^(docker|podman|nerdctl|docker-compose)$/.test(program)) return containers(call, operands);
  return [];
}

function isScriptName(program: string, operands: readonly string[]): boolean {
  return (
    /^(npm|pnpm|yarn|bun)$/.test(program) &&
    /^(run|run-script|test)$/.test(operands[0] ?? '') &&
    operands[1] !== 'publish'
  );
}

function containers(call: Call, operands: readonly string[]): Finding[] {
  const [sub = '', second = ''] = operands;
  const opens = call.args.find(({ value }) =>
    /^--(privileged|pid|ipc|userns|cap-add|device|security-opt|network=host|net=host)/.test(value),
  );
  const mounts = call.args.find(({ value }) =>
    /^(-v|--volume|--mount)?=?.*(^|[=,:])\/(:|,|$)|docker\.sock|(^|=)(\/etc|\/root|\/home|\/var|\/proc|\/sys|~)[^:]*:/.test(
      value,
    ),
  );
  if (opens !== undefined || mounts !== undefined) {
    return [
      danger(
        'dangerous.container',
        'The container gets access to the machine itself.',
        call,
        opens ?? mounts,
      ),
    ];
  }
  if (
    /^(system|volume|image|container|network|builder|buildx)$/.test(sub) &&
    /^(prune|rm|remove)$/.test(second)
  ) {
    return [danger('dangerous.container', `${call.program} ${sub} ${second} deletes data.`, call)];
  }
  if (
    /^(rm|rmi|kill|down|stop|prune)$/.test(sub) ||
    (sub === 'compose' && /^(down|rm|kill|stop)$/.test(second))
  ) {
    return [
      danger('dangerous.container', `${call.program} ${sub} ends or deletes containers or images.`, call),
    ];
  }
  return [];
}
