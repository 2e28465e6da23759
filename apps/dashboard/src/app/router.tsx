/** Addresses and their screens. All that a screen shows is in its address, so that it can be shared; each screen is loaded when it is opened. */
import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { Broken, Missing } from './broken.js';
import { InboxScreen } from '../screens/inbox/inbox-screen.js';
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
  component: lazyRouteComponent(() => import('../screens/tasks/tasks-screen.js'), 'TasksScreen'),
});

const task = createRoute({
  getParentRoute: () => root,
  path: '/tasks/$taskId',
  component: lazyRouteComponent(() => import('../screens/task/task-screen.js'), 'TaskScreen'),
});

export const router = createRouter({
  routeTree: root.addChildren([start, inbox, tasks, task]),
  defaultPreload: 'intent',
  // Data is kept by the query client; the router only loads code.
  defaultPreloadStaleTime: 0,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
