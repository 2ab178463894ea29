import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { CallError } from './api/call.ts'
import { createAppRouter } from './router.tsx'
import './styles/app.css'

/** A refusal is final. A 503 and a lost response are retried. */
const retry = (count: number, error: Error) =>
  count < 2 && error instanceof CallError && [0, 503].includes(error.status)

const queries = new QueryClient({ defaultOptions: { queries: { retry, staleTime: 5000 } } })
const router = createAppRouter(queries)

const root = document.getElementById('root')
if (root)
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  )
