/** Begins the dashboard: how it looks and in which language it speaks are known before the first paint. */
import './styles/main.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { LiveProvider } from './app/live/live-context.js';
import { applyLook } from './app/look.js';
import { queryClient } from './app/query-client.js';
import { router } from './app/router.js';
import { chosenLanguage, loadTexts, TextProvider } from './i18n/texts.js';

async function start(root: HTMLElement): Promise<void> {
  applyLook();
  const language = chosenLanguage();
  const texts = await loadTexts(language);
  createRoot(root).render(
    <StrictMode>
      <TextProvider language={language} texts={texts}>
        <QueryClientProvider client={queryClient}>
          <LiveProvider>
            <RouterProvider router={router} />
          </LiveProvider>
        </QueryClientProvider>
      </TextProvider>
    </StrictMode>,
  );
}

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no place for the dashboard');
void start(root);
