/** The values that the composition root hands in, for every feature to inject. */
import type { AgentSource } from '@bullpen/contracts';
import type { Masker, ModeMachine } from '@bullpen/core';
import { newId } from '@bullpen/platform';
import { Announcer, type EventBus, type TaskQueue } from '@bullpen/queue';
import {
  Attachments,
  Dispatches,
  PolicyLayerStore,
  ProviderKeys,
  TaskCommands,
  type Prisma,
} from '@bullpen/store';
import { Module, type DynamicModule } from '@nestjs/common';
import { AllowedHosts } from './http/host-check.js';
import {
  EVENT_BUS,
  GATEWAY_INFO,
  MODE_MACHINE,
  MODE_SOURCES,
  LOGGER,
  MASKER,
  POLICY_LAYERS,
  POOL,
  PRISMA,
  PROVIDER_KEYS,
  SETTINGS,
  TASK_COMMANDS,
  TASK_QUEUE,
  type GatewayInfo,
  type GatewaySettings,
  type Logger,
  type Pool,
} from './http/tokens.js';
import { ApiDocument } from './system/api-document.js';
import { AgentCatalogue } from './tasks/agent-catalogue.js';

export interface SharedValues {
  readonly settings: GatewaySettings;
  readonly logger: Logger;
  readonly masker: Masker;
  readonly pool: Pool;
  readonly prisma: Prisma;
  readonly bus: EventBus;
  readonly info: GatewayInfo;
  readonly agents: AgentCatalogue;
  readonly modes: ModeMachine;
  readonly modeSources: ReadonlyMap<string, AgentSource>;
  readonly hosts: AllowedHosts;
  readonly document: ApiDocument;
}

@Module({})
export class SharedModule {
  static of(values: SharedValues): DynamicModule {
    const providers = [
      { provide: SETTINGS, useValue: values.settings },
      { provide: LOGGER, useValue: values.logger },
      { provide: MASKER, useValue: values.masker },
      { provide: POOL, useValue: values.pool },
      { provide: PRISMA, useValue: values.prisma },
      { provide: EVENT_BUS, useValue: values.bus },
      { provide: GATEWAY_INFO, useValue: values.info },
      { provide: AgentCatalogue, useValue: values.agents },
      { provide: MODE_MACHINE, useValue: values.modes },
      { provide: MODE_SOURCES, useValue: values.modeSources },
      { provide: AllowedHosts, useValue: values.hosts },
      { provide: ApiDocument, useValue: values.document },
      {
        provide: Announcer,
        inject: [POOL, TASK_QUEUE, EVENT_BUS, LOGGER],
        useFactory: (pool: Pool, queue: TaskQueue, bus: EventBus, logger: Logger) =>
          new Announcer({ queue, bus, backlog: new Dispatches(pool), logger }),
      },
      {
        provide: PROVIDER_KEYS,
        inject: [POOL, Announcer, EVENT_BUS],
        useFactory: providerKeysOn,
      },
      { provide: Attachments, inject: [POOL], useFactory: (pool: Pool) => new Attachments(pool) },
      { provide: POLICY_LAYERS, inject: [POOL], useFactory: (pool: Pool) => new PolicyLayerStore(pool) },
      { provide: TASK_COMMANDS, inject: [POOL, Announcer], useFactory: commandsOn },
    ];
    return {
      module: SharedModule,
      global: true,
      providers,
      exports: providers.map(({ provide }) => provide),
    };
  }
}

/** Each change is told to the queue and the live bus after its commit; the answer to the user waits for neither. */
function commandsOn(pool: Pool, announcer: Announcer): TaskCommands {
  return new TaskCommands({ pool, newId, onCommitted: (effects) => announcer.committed(effects) });
}

/** Workers hear of a resumed key before its tasks come to them. */
function providerKeysOn(pool: Pool, announcer: Announcer, bus: EventBus): ProviderKeys {
  return new ProviderKeys({
    pool,
    onCommitted: (effects) => announcer.committed(effects),
    onChanged: (key) => bus.publish({ kind: 'provider', key }),
  });
}
