import { useState } from 'react'
import type { Place } from '../../api/place.ts'
import { Button } from '../../ui/button.tsx'
import { copyText } from '../../ui/copy-text.tsx'
import { ResendSelected } from './resend-selected.tsx'

interface SelectionBarProps {
  readonly place: Place
  readonly ids: readonly string[]
  readonly mayResend: boolean
  readonly onClear: () => void
}

/** What can be done with the selected payments. */
export function SelectionBar({ place, ids, mayResend, onClear }: SelectionBarProps) {
  const [isResending, setResending] = useState(false)
  return (
    <section
      aria-label="Selected payments"
      className="flex flex-wrap items-center gap-2 border-t border-line bg-selected px-6 py-1.5 max-phone:px-4"
    >
      <span className="mr-2 font-medium" role="status">
        {ids.length} selected
      </span>
      {mayResend && (
        <Button icon="resend" onClick={() => setResending(true)}>
          Resend webhooks
        </Button>
      )}
      <Button icon="copy" onClick={() => void copyText(ids.join('\n'), `${ids.length} ids`)}>
        Copy ids
      </Button>
      <Button look="quiet" onClick={onClear}>
        Clear
      </Button>
      {isResending && <ResendSelected ids={ids} onClose={() => setResending(false)} place={place} />}
    </section>
  )
}
