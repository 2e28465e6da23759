/** Addresses and their screens. All that a screen shows is in its address, so that it can be shared; each screen is loaded when it is opened. */
import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { Broken, Missing } from './broken.js';
import { InboxScreen } from '../screens/inbox/inbox-screen.js';
import { withTexts } from '../i18n/texts.js';
import { FailuresSearch } from '../screens/failures/failures-search.js';
import { ModesSearch } from '../screens/modes/modes-search.js';
import { NewSearch } from '../screens/new/new-search.js';
import { QueuesSearch } from '../screens/queues/queues-search.js';
import { TasksSearch } from '../screens/tasks/filter.js';
import { UsageSearch } from '../screens/usage/usage-search.js';
import { InboxSearch } from './search.js';
import { Shell } from './shell.js';
import { Start } from './start.js';

const root = createRootRoute({ component: Shell, notFoundComponent: Missing, errorComponent: Broken });

const start = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: Start,
});

const inbox = createRoute({
  getParentRoute: () => root,
  path: '/inbox',
  validateSearch: InboxSearch,
  // Part of every first visit: a file of its own would only cost another request.
  component: InboxScreen,
});

const tasks = createRoute({
  getParentRoute: () => root,
  path: '/tasks',
  validateSearch: TasksSearch,
  component: lazyRouteComponent(
    () => withTexts(() => import('../screens/tasks/tasks-screen.js')),
    'TasksScreen',
  ),
});

const task = createRoute({
  getParentRoute: () => root,
  path: '/tasks/$taskId',
  component: lazyRouteComponent(
    () => withTexts(() => import('../screens/task/task-screen.js')),
    'TaskScreen',
  ),
});

const fresh = createRoute({
  getParentRoute: () => root,
  path: '/new',
  validateSearch: NewSearch,
  component: lazyRouteComponent(() => withTexts(() => import('../screens/new/new-screen.js')), 'NewScreen'),
});

const queues = createRoute({
  getParentRoute: () => root,
  path: '/queues',
  validateSearch: QueuesSearch,
  component: lazyRouteComponent(
    () => withTexts(() => import('../screens/queues/queues-screen.js')),
    'QueuesScreen',
  ),
});

const failures = createRoute({
  getParentRoute: () => root,
  path: '/failures',
  validateSearch: FailuresSearch,
  component: lazyRouteComponent(
    () => withTexts(() => import('../screens/failures/failures-screen.js')),
    'FailuresScreen',
  ),
});

const usage = createRoute({
  getParentRoute: () => root,
  path: '/usage',
  validateSearch: UsageSearch,
  component: lazyRouteComponent(
    () => withTexts(() => import('../screens/usage/usage-screen.js')),
    'UsageScreen',
  ),
});

const modes = createRoute({
  getParentRoute: () => root,
  path: '/modes',
  validateSearch: ModesSearch,
  component: lazyRouteComponent(
    () => withTexts(() => import('../screens/modes/modes-screen.js')),
    'ModesScreen',
  ),
});

const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings',
  component: lazyRouteComponent(
    () => withTexts(() => import('../screens/settings/settings-screen.js')),
    'SettingsScreen',
  ),
});

export const router = createRouter({
  routeTree: root.addChildren([start, inbox, tasks, task, fresh, queues, failures, usage, modes, settings]),
  defaultPreload: 'intent',
  // Data is kept by the query client; the router only loads code.
  defaultPreloadStaleTime: 0,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
