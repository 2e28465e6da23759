/**
 * Dangers as data, each by what the words mean. Which of them is a question in the box its rule says (`rules.ts`): the box bounds what
 * is about the machine; what is about the work itself, or about what others get, it does not. Deletions are in `deletion.ts`.
 *
 * A row: rule; programs; conditions; message. `sub=` is about the operands in their order, from the first on; `word=` about any one
 * word; with `but=` a word makes it harmless. Programs and words match whole.
 */
import type { RuleId } from '../rules.js';

const RUNNERS = 'npm|pnpm|yarn|bun|nx|turbo|make|gmake|just|task|rake|invoke|gradlew?|mage';
const REGISTRIES =
  'npm|pnpm|yarn|bun|lerna|changeset|cargo|gem|poetry|flit|hatch|uv|pdm|vsce|ovsx|wasm-pack|dart|flutter|helm|dotnet|nuget|mix|pod|twine|conan';
const CLOUDS =
  'kubectl|oc|helm|terraform|tofu|terragrunt|pulumi|cdk|aws|gcloud|az|gsutil|doctl|heroku|flyctl|fly|firebase|eksctl|serverless|sls|' +
  'ansible(-playbook)?|nomad|vault|consul|etcdctl|linode-cli|hcloud|oci|supabase|stripe|s3cmd|mc|rclone';
const SENDERS = 'nc|ncat|netcat|nc\\.\\w+|socat|telnet|rlogin|cryptcat|pwncat|chisel|ngrok|cloudflared|tftp';
const DISKS = '/dev/(sd|hd|vd|xvd|nvme|mmcblk|disk|mapper|mem$|kmem$|port$).*';
const MIGRATORS =
  '(bin/)?rails|rake|php|artisan|python[\\d.]*|manage\\.py|mix|sequelize(-cli)?|knex|typeorm|django-admin|flask|goose|flyway';

const TABLE = String.raw`
# git: what neither the repository nor a copy of the files would bring back.
dangerous.git; git; sub=push; word=-[a-zA-Z]*[fd][a-zA-Z]*|--fo[a-z-]*(=.*)?|--delete|--mirror|--prune|[+:].+; It overwrites or deletes what the remote has.
program.publishes; git; sub=push; but=-n|--dry-run; It publishes commits.
program.publishes; git; sub=send-email|lfs push|svn dcommit|p4 submit; It publishes commits.
dangerous.git; git; sub=reset; word=--(h|m|k)[a-z]*; It throws away what is not committed.
dangerous.git; git; sub=clean; but=-[a-zA-Z]*n[a-zA-Z]*|--dry-run; It deletes files that are committed nowhere.
dangerous.git; git; sub=checkout; word=-[a-zA-Z]*[fB][a-zA-Z]*|--f[a-z]*|--ours|--theirs|--pathspec-from-file.*; It throws away what is not committed, or moves a branch.
dangerous.git; git; sub=switch; word=-[a-zA-Z]*[fC][a-zA-Z]*|--f[a-z-]*|--discard-changes; It throws away what is not committed, or moves a branch.
dangerous.git; git; sub=restore; word=--pathspec-from-file.*; It throws away what is not committed.
dangerous.git; git; sub=read-tree|checkout-index; word=-[a-zA-Z]*[uf][a-zA-Z]*|--reset|--force; It overwrites files of the workspace.
dangerous.git; git; sub=branch; word=-[a-zA-Z]*[DMCf][a-zA-Z]*|--force; It deletes or overwrites a branch.
dangerous.git; git; sub=tag; word=-[a-zA-Z]*[df]|--delete|--force; It deletes or moves a tag.
dangerous.git; git; sub=stash (drop|clear); It removes stashed work.
dangerous.git; git; sub=filter-branch|filter-repo|prune|reflog (expire|delete|drop)|replace|fast-import; It loses commits for good, or what could bring them back.
dangerous.git; git; sub=gc; word=--prune(=.*)?; It loses commits for good that nothing points to any more.
dangerous.git; git; sub=repack; word=-[a-zA-Z]*[adA][a-zA-Z]*; It loses commits for good that nothing points to any more.
dangerous.git; git; sub=update-ref; word=-d|--stdin; It deletes references.
dangerous.git; git; sub=worktree remove|submodule deinit; word=-f|--force|--all; It deletes a work tree with what is not committed.
dangerous.git; git-(filter-repo|filter-branch|push|clean|reset)|bfg; It loses commits or work.
dangerous.git; hg|svn|jj|sl; sub=push|strip|purge|update|revert|git push|commit; word=-C|--clean|--all|-R|push|strip|purge|commit; It publishes commits, or loses work.

# What others get.
dangerous.publish; ${REGISTRIES}; sub=(?!run |run-script |test |exec |build |nx |turbo )(\S+ ){0,2}(publish|unpublish|deprecate|yank|dist-tag|owner|login|adduser|token|upload|hex\.publish|push); but=--dry-run; It changes what others get from a registry.
dangerous.publish; np|semantic-release|goreleaser|release-it|gh-pages|surge|vercel|netlify; It publishes a release.
dangerous.publish; wrangler|firebase|heroku|flyctl|fly|eb|serverless|sls|cdk|kamal|cap|dokku|amplify; sub=(.* )?(deploy|publish|release|push)(:\S+)?; It publishes a release.
dangerous.publish; python[\d.]*; sub=setup\.py (\S+ )*upload; It changes what others get from a registry.
dangerous.publish; mvnw?; sub=(.* )?(deploy|release:\w+); It changes what others get from a registry.
dangerous.publish; docker|podman|nerdctl|buildah|skopeo|crane; sub=((image|manifest|compose) )?push|login|copy; It changes what others get from a registry.
dangerous.publish; docker|podman; word=--push; It changes what others get from a registry.
program.publishes; ${RUNNERS}; sub=(.*[ :._-])?(publish|deploy|ship|promote)([:._-]\S*)?; By its name it publishes.
program.publishes; ${RUNNERS}; sub=(run |run-script )?(release|upload|push); By its name it publishes.
dangerous.publish; gh|glab|hub|tea; sub=api|workflow run|(secret|variable) set|(\S+ )?(create|merge|close|reopen|edit|delete|comment|review|upload|fork|sync|transfer|archive|rename|cancel|rerun|enable|disable|approve|ready|lock|push|release|pull-request); It changes what others see.
dangerous.publish; scp|sftp|ssh|mosh|ftp|lftp|ssh-copy-id|mail|mailx|mutt|sendmail|msmtp|swaks; It sends to another machine.
dangerous.publish; rsync|rclone; word=([\w.-]+@)?[\w.-]+::?.+|rsync:.*; It sends to another machine.

# What is opened to the network.
dangerous.upload; curl|curlie|wget2?|https?|httpie|xh|hurl|lwp-request; word=-[a-zA-Z]*[dFTX].*|--(data|form|upload-file|json|post-|body-|method|request|url-query|config).*|POST|PUT|PATCH|DELETE; but=(https?://)?(localhost|127\.\d+\.\d+\.\d+|\[::1\]|0\.0\.0\.0)([:/].*)?; It sends data to another machine.
dangerous.upload; ${SENDERS}; It opens a connection to another machine.
dangerous.cloud; ${CLOUDS}; sub=(.* )?(delete\S*|destroy|apply|rm|rb|remove|terminate\S*|create|update|put|set|cp|sync|mv|scale|drain|cordon|patch|replace|rollout|install|upgrade|uninstall|rollback|import|taint|force-unlock|purge|reset|exec|run|push|seal); It changes what runs on other machines.
dangerous.cloud; ${CLOUDS}; word=-auto-approve|--(auto-approve|delete|destroy|force|accept-data-loss); It changes what runs on other machines.

# Databases.
dangerous.sql; dropdb|mysqladmin|pg_dropcluster; It drops a database.
dangerous.sql; ${MIGRATORS}; word=db:(drop|reset|purge|truncate\S*|schema:load|setup|wipe)(:\w+)?|migrate:(fresh|reset|refresh|rollback)|flush|reset_db|ecto\.(drop|reset)|schema:drop|drop; It drops what a database holds.
dangerous.sql; prisma; sub=db push; word=--force-reset|--accept-data-loss; It drops what a database holds.
dangerous.sql; prisma; sub=migrate reset; It can drop what a database holds.

# Disks and devices.
dangerous.disk_erase; mkfs(\..+)?|mke2fs|mkswap|wipefs|blkdiscard|newfs|badblocks; It erases what a device holds.
dangerous.disk_erase; dd|shred|wipe; word=(of=)?${DISKS}; It overwrites a device.
dangerous.device_write; tee|cp|install|ddrescue|pv; word=${DISKS}; It writes to a device.
dangerous.disk; dd; word=(of|if)=/dev/.*; It reads or writes a device.
dangerous.disk; [sc]?fdisk|s?gdisk|parted|partprobe|[lpv][gv](remove|reduce)|mdadm|cryptsetup|zpool|zfs|btrfs|hdparm|nvme|diskutil|u?mount|losetup|swapo(ff|n)|tune2fs|(e2)?fsck(\..+)?|resize2fs|dmsetup; It changes disks, volumes or mounts.

# The machine: in the box there is none.
dangerous.privilege; sudo|doas|pkexec|runuser|setpriv|chroot|unshare|nsenter|su|user(add|del|mod)|group(add|del)|(ch)?passwd|visudo|vipw|(add|del)user|login|newgrp; It acts as another user, or changes users.
dangerous.machine; shutdown|reboot|halt|poweroff|telinit|kexec|systemd-run|systemctl|service|crontab|at|batch|launchctl|rc-update|loginctl|journalctl|anacron|ip6?tables|nft|ufw|sysctl|modprobe|insmod|rmmod|setenforce|ifconfig|route|tc|firewall-cmd|init; It stops the machine, or changes what it runs or connects to.
dangerous.machine; p?kill|killall5?|skill|xkill; but=-l; It ends processes.
dangerous.container; docker|podman|nerdctl|docker-compose; sub=(compose )?(rm|rmi|kill|down|stop|prune)|(system|volume|image|container|network|builder|buildx) (prune|rm|remove); It ends or deletes containers, images or volumes.
dangerous.container; docker|podman|nerdctl; word=--(privileged|pid|ipc|userns|cap-add|device|security-opt|network=host|net=host).*|.*docker\.sock.*|(.*[=,])?(/(etc|root|home|var|proc|sys)?|~)[^:]*:.*; The container gets access to the machine itself.
dangerous.permissions; chown|chgrp|setfacl|chattr|chcon; It changes who owns files or may use them.
dangerous.permissions; chmod; word=-[a-zA-Z]*R.*|--recursive|0?[0-7]?[0-7]?[2367]|[ao]*\+.*[ws].*|[ugo]*\+s|[2467][0-7]{3}|a=rwx; It changes permissions broadly.
dangerous.delete_work; tar|7za?; word=--remove-files|-sdel; It deletes what it packs.
dangerous.delete_work; zip; word=-[a-z]*m[a-z]*|--move; It deletes what it packs.
dangerous.delete; truncate; It cuts the content of files.
dangerous.delete; history; word=-[cdw].*; It removes traces of what was run.
dangerous.delete; find; word=-(fprint0?|fprintf|fls); find overwrites a file here.

# What decides what other programs load or run.
dangerous.environment; git; word=-c.*|--config-env.*|--exec-path.*|(ext|fd)::.*|--(upload-p|receive-p|exec|extc).*|-u\S*git-upload.*; It names a program that git runs.
dangerous.environment; g?make; word=\.?(SHELL|SHELLFLAGS|MAKEFLAGS)\s*[:+?]*=.*|--eval.*; It decides what make runs.
dangerous.environment; .*; word=(LD_PRELOAD|LD_LIBRARY_PATH|BASH_ENV|GIT_SSH_COMMAND|PROMPT_COMMAND|NODE_OPTIONS|PYTHONSTARTUP)=.*; It decides what other programs load or run.
`;

export interface Danger {
  readonly rule: RuleId;
  readonly programs: RegExp;
  readonly sub: RegExp | null;
  readonly word: RegExp | null;
  readonly but: RegExp | null;
  readonly message: string;
}

export const DANGERS: readonly Danger[] = TABLE.split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => {
    const [rule = '', programs = '', ...rest] = line.split('; ');
    const condition = (name: string): string | null =>
      rest.find((each) => each.startsWith(`${name}=`))?.slice(name.length + 1) ?? null;
    const sub = condition('sub');
    return {
      rule: rule as RuleId,
      programs: whole(programs),
      sub: sub === null ? null : new RegExp(`^(?:${sub})(?: |$)`, 'i'),
      word: pattern(condition('word')),
      but: pattern(condition('but')),
      message: rest.at(-1) ?? '',
    };
  });

function whole(text: string): RegExp {
  return new RegExp(`^(?:${text})$`, 's');
}

function pattern(text: string | null): RegExp | null {
  return text === null ? null : whole(text);
}
