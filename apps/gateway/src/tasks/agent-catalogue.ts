/** The agents of this installation and what a submitted task resolves to. */
import { AppError, type AgentSource, type AgentView, type CreateTask } from '@bullpen/contracts';
import { resolveTask, type PolicyLayers, type ResolveContext, type Resolved } from '@bullpen/core';

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
    return agents.map((agent) => {
      const source = this.#sources.get(agent.name) ?? { kind: 'built-in', name: agent.name };
      return { ...agent, model: agent.model || defaultModel, source };
    });
  }

  /** The complete definition for a task, as the layers of its tenant allow it. Throws what is wrong with it (`unknown_agent`, `invalid_input`, …). */
  resolve(body: CreateTask, layers: PolicyLayers): Extract<Resolved, { ok: true }> {
    const resolved = resolveTask(body, { ...this.#context, layers });
    if (resolved.ok) return resolved;
    const { code, errors, nextActions } = resolved;
    throw new AppError(code, errors.map((error) => error.detail).join(' '), {
      details: { errors },
      ...(nextActions && { nextActions }),
    });
  }
}
