/** The agents of this installation and what a submitted task resolves to. */
import {
  AppError,
  type AgentDefinition,
  type AgentSource,
  type AgentView,
  type CreateTask,
  type ForkCheckpoint,
  type ModelProfile,
} from '@bullpen/contracts';
import {
  changedDefinition,
  resolveTask,
  switchedDefinition,
  type PolicyLayers,
  type Refused,
  type ResolveContext,
  type Resolved,
} from '@bullpen/core';
import { problemText, workspaceAgents } from '@bullpen/extensions';

export class AgentCatalogue {
  readonly #context: ResolveContext;
  readonly #sources: ReadonlyMap<string, AgentSource>;

  constructor(context: ResolveContext, sources: ReadonlyMap<string, AgentSource>) {
    this.#context = context;
    this.#sources = sources;
  }

  /** All agents, with the model that those without one get, and where each comes from. */
  list(): AgentView[] {
    const { agents, defaultModel } = this.#context;
    return agents.map(
      ({ profiles: _chain, helper: _helper, keepBodies: _bodies, workspaceAgents: _ofTasks, ...agent }) => {
        const source = this.#sources.get(agent.name) ?? { kind: 'built-in', name: agent.name };
        return { ...agent, model: agent.model || defaultModel, source };
      },
    );
  }

  /** The model profiles of this installation. */
  profiles(): readonly ModelProfile[] {
    return [...(this.#context.profiles ?? new Map<string, ModelProfile>()).values()];
  }

  /** The complete definition for a task, as the layers of its tenant allow it. Throws what is wrong with it (`unknown_agent`, `invalid_input`, …). */
  resolve(body: CreateTask, layers: PolicyLayers): Extract<Resolved, { ok: true }> {
    const { agents, toolNames, schemaIssues } = this.#context;
    const names = agents.map(({ name }) => name);
    const found = workspaceAgents(body.agentFiles, names, { toolNames, schemaIssues });
    const workspace = { agents: found.agents, problems: found.problems.map(problemText) };
    return allowed(resolveTask(body, { ...this.#context, layers, workspace }));
  }

  /** A definition with another model or other limits. Throws `invalid_request` when the model cannot be used. */
  changed(definition: AgentDefinition, change: Pick<ForkCheckpoint, 'model' | 'limits'>): AgentDefinition {
    return allowed(changedDefinition(definition, change, this.#context.models)).definition;
  }

  /** A definition that goes on with another profile. Throws `invalid_request` for one that cannot be used. */
  switched(definition: AgentDefinition, profile: string): AgentDefinition {
    return allowed(switchedDefinition(definition, profile, this.#context)).definition;
  }
}

function allowed<T extends { readonly ok: true }>(resolved: T | Refused): T {
  if (resolved.ok) return resolved;
  const { code, errors, nextActions } = resolved;
  throw new AppError(code, errors.map((error) => error.detail).join(' '), {
    details: { errors },
    ...(nextActions && { nextActions }),
  });
}
