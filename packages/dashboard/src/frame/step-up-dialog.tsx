import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useCallback, useEffect, useState } from 'react'
import { onRenew } from '../api/call.ts'
import { hasPasskeys, passkeyWords, signWithPasskey } from '../api/passkey.ts'
import { peopleApi } from '../api/people-api.ts'
import { onStepUp } from '../api/step-up.ts'
import { meQuery, useMe } from '../session.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { Note } from '../ui/note.tsx'
import { useAction } from '../ui/use-action.ts'

type Answer = (isProved: boolean) => void

/** Opens when the server wants the person's presence proved within the last minutes, then the action continues. */
export function StepUpDialog() {
  const [answer, setAnswer] = useState<Answer>()
  const renew = useRenew()
  useEffect(() => onRenew(renew), [renew])
  useEffect(() => {
    onStepUp(() => new Promise<boolean>((resolve) => setAnswer(() => resolve)))
    return () => onStepUp(undefined)
  }, [])
  const end = (isProved: boolean) => {
    answer?.(isProved)
    setAnswer(undefined)
  }
  return (
    <Dialog
      className="w-[400px] max-w-[calc(100vw-24px)]"
      isOpen={answer !== undefined}
      onClose={() => end(false)}
      title="Confirm that it is you"
    >
      <Prove onEnd={end} />
    </Dialog>
  )
}

/** Reads the session again, which a proof in any window changes, and with it what every change must send. */
function useRenew(): () => Promise<boolean> {
  const queries = useQueryClient()
  return useCallback(() => queries.fetchQuery({ ...meQuery, staleTime: 0 }).then(Boolean), [queries])
}

interface Password {
  readonly password: string
  readonly code: string
}

async function prove(proof: 'passkey' | Password): Promise<unknown> {
  if (proof !== 'passkey') return peopleApi('postStepUpPassword', { body: proof })
  const { challenge, options } = await peopleApi('postStepUpPasskeyOptions', {})
  const response = await signWithPasskey(options)
  return peopleApi('postStepUpPasskey', { body: { challenge, response } as never })
}

function Prove({ onEnd }: { readonly onEnd: Answer }) {
  const { hasPassword } = useMe()
  const renew = useRenew()
  const action = useAction({
    run: async (proof: 'passkey' | Password) => {
      await prove(proof)
      return renew()
    },
    done: () => undefined,
    onDone: onEnd,
  })
  return (
    <div className="grid gap-4 p-5">
      <h2 className="text-lg font-semibold">Confirm that it is you</h2>
      <p className="text-ink-2">Money, keys, people and limits need a proof from the last 5 minutes.</p>
      {action.error && <Note look="fail">{passkeyWords(action.error)}</Note>}
      {hasPasskeys() && (
        <Button icon="key" isBusy={action.isBusy} look="primary" onClick={() => action.run('passkey')}>
          Confirm with passkey
        </Button>
      )}
      {hasPassword && <PasswordForm isBusy={action.isBusy} isSecond={hasPasskeys()} onProve={action.run} />}
      <Button look="quiet" onClick={() => onEnd(false)}>
        Cancel
      </Button>
    </div>
  )
}

interface PasswordFormProps {
  readonly isBusy: boolean
  readonly isSecond: boolean
  readonly onProve: (password: Password) => void
}

function PasswordForm({ isBusy, isSecond, onProve }: PasswordFormProps) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const { password = '', code = '' } = Object.fromEntries(new FormData(event.currentTarget)) as Partial<Password>
    onProve({ password, code })
  }
  return (
    <form className="grid gap-3" onSubmit={submit}>
      <TextField autoComplete="current-password" label="Password" name="password" required type="password" />
      <TextField autoComplete="one-time-code" inputMode="numeric" label="Code" maxLength={6} name="code" required />
      <Button isBusy={isBusy} look={isSecond ? 'plain' : 'primary'} type="submit">
        Confirm with password and code
      </Button>
    </form>
  )
}
