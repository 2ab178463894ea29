import { Outlet, useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useMemo, useState } from 'react'
import { useMe } from '../session.ts'
import { Rail } from './rail.tsx'
import { SandboxBand } from './sandbox-band.tsx'
import { useShortcuts } from './shortcuts.ts'
import { TopBar } from './top-bar.tsx'
import { useKeptFocus } from './use-kept-focus.ts'
import { useWhere } from './use-where.ts'

const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }))
const FindPayments = lazy(async () => ({
  default: (await import('../pages/operator/payments/find-payments.tsx')).FindPayments,
}))
const Toasts = lazy(async () => ({ default: (await import('../ui/toast.tsx')).Toasts }))
const StepUpDialog = lazy(async () => ({ default: (await import('./step-up-dialog.tsx')).StepUpDialog }))
const ShortcutSheet = lazy(async () => ({ default: (await import('./shortcut-sheet.tsx')).ShortcutSheet }))

/** The rail, the top bar and one raised sheet. Everything else is a page. */
export function Frame() {
  const me = useMe()
  const { merchantId, env } = useWhere()
  const [isFinding, setFinding] = useState(false)
  const [isHelping, setHelping] = useState(false)
  const navigate = useNavigate()
  const keys = useMemo(() => {
    const go = (page: string) => () =>
      void (merchantId && env && navigate({ to: `/m/${merchantId}/${env}${page}` as never }))
    return {
      'mod+k': () => setFinding(true),
      '/': () => setFinding(true),
      '?': () => setHelping(true),
      'g h': go(''),
      'g p': go('/payments'),
      'g b': go('/balances'),
      'g d': go('/developers'),
    }
  }, [merchantId, env, navigate])
  useShortcuts(keys)
  useKeptFocus()
  const isSandbox = env === 'sandbox'
  return (
    <div
      className={`grid min-h-dvh max-wide:pb-14 wide:grid-cols-[var(--rail)_minmax(0,1fr)] ${isSandbox ? 'border-4 border-sand' : ''}`}
      data-env={env}
    >
      <a className="absolute -left-[999px] focus:top-3 focus:left-3 focus:z-20 focus:bg-surface focus:p-2" href="#main">
        Skip to the page
      </a>
      <Rail env={env} me={me} merchantId={merchantId} />
      <div
        className="flex min-w-0 flex-col bg-surface wide:m-2 wide:ml-0 wide:rounded-lg wide:border wide:border-line"
        data-sheet
      >
        {isSandbox && <SandboxBand merchantId={merchantId} />}
        <TopBar
          env={env}
          me={me}
          merchantId={merchantId}
          onFind={() => setFinding(true)}
          onHelp={() => setHelping(true)}
        />
        <main className="min-w-0 flex-1 outline-none" id="main" tabIndex={-1}>
          <Outlet />
        </main>
      </div>
      <Suspense>
        {isFinding &&
          env &&
          (merchantId ? (
            <Palette onClose={() => setFinding(false)} place={{ merchantId, env }} />
          ) : (
            <FindPayments env={env} onClose={() => setFinding(false)} />
          ))}
        {isHelping && <ShortcutSheet onClose={() => setHelping(false)} />}
        <StepUpDialog />
        <Toasts />
      </Suspense>
    </div>
  )
}
