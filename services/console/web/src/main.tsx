import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { client } from './api/client.js';
import { App } from './app.js';

const root = document.getElementById('app');
if (root === null) throw new Error('the page has no place for the application');
createRoot(root).render(
  <StrictMode>
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={client}>
        <App />
      </QueryClientProvider>
    </CSPProvider>
  </StrictMode>,
);
