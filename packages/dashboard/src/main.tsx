import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { createRoot } from 'react-dom/client'
import type { CallError } from './api/call.ts'
import { createAppRouter } from './router.tsx'
import './styles/app.css'

/** A refusal is final. A 503 and a lost response are retried. */
const retry = (count: number, error: Error) => count < 2 && [0, 503].includes((error as CallError).status)

const queries = new QueryClient({ defaultOptions: { queries: { retry, staleTime: 5000 } } })
const router = createAppRouter(queries)
// The code of the page is loaded while the person is read.
for (const route of router.getMatchedRoutes(router.latestLocation.pathname)[0]) void router.loadRouteChunk(route)

// index.html has the element.
createRoot(document.getElementById('root') as HTMLElement).render(
  <QueryClientProvider client={queries}>
    <RouterProvider router={router} />
  </QueryClientProvider>,
)
