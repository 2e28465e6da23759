/** The agents of this installation and what a submitted task resolves to. */
import { AppError, type AgentDefinition, type CreateTask } from '@bullpen/contracts';
import { resolveTask, type PolicyLayers, type ResolveContext, type Resolved } from '@bullpen/core';

export class AgentCatalogue {
  readonly #context: ResolveContext;

  constructor(context: ResolveContext) {
    this.#context = context;
  }

  /** All agents, with the model that those without one get. */
  list(): AgentDefinition[] {
    const { agents, defaultModel } = this.#context;
    return agents.map((agent) => (agent.model === '' ? { ...agent, model: defaultModel } : agent));
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
