/** The gateway's table of contents. */
import type { QueueConnection } from '@bullpen/queue';
import { Module, type DynamicModule } from '@nestjs/common';
import { AttachmentsModule } from './attachments/attachments.module.js';
import { AuthModule } from './auth/auth.module.js';
import { BulkModule } from './bulk/bulk.module.js';
import { CheckpointsModule } from './checkpoints/checkpoints.module.js';
import { EventsModule } from './events/events.module.js';
import { HttpModule } from './http/http.module.js';
import { ImportsModule } from './imports/imports.module.js';
import { InteractionsModule } from './interactions/interactions.module.js';
import { PoliciesModule } from './policies/policies.module.js';
import { ProcessesModule } from './processes/processes.module.js';
import { WorkspacesModule } from './workspaces/workspaces.module.js';
import { ProvidersModule } from './providers/providers.module.js';
import { FlowModule } from './queues/flow.module.js';
import { QueuesModule } from './queues/queues.module.js';
import { SearchModule } from './search/search.module.js';
import { SharedModule, type SharedValues } from './shared.module.js';
import { SharesModule } from './shares/shares.module.js';
import { SystemModule } from './system/system.module.js';
import { ModesModule } from './modes/modes.module.js';
import { TasksModule } from './tasks/tasks.module.js';
import { TenantsModule } from './tenants/tenants.module.js';
import { UsageModule } from './usage/usage.module.js';
import { ViewsModule } from './views/views.module.js';
import { WebhooksModule } from './webhooks/webhooks.module.js';

@Module({})
export class AppModule {
  static with(values: SharedValues, queue: QueueConnection): DynamicModule {
    return {
      module: AppModule,
      imports: [
        SharedModule.of(values),
        QueuesModule.on(queue),
        HttpModule,
        AuthModule,
        TasksModule,
        AttachmentsModule,
        BulkModule,
        InteractionsModule,
        EventsModule,
        ProcessesModule,
        CheckpointsModule,
        WorkspacesModule,
        UsageModule,
        SearchModule,
        SharesModule,
        ImportsModule,
        PoliciesModule,
        ModesModule,
        ProvidersModule,
        FlowModule,
        TenantsModule,
        WebhooksModule,
        ViewsModule,
        SystemModule,
      ],
    };
  }
}
