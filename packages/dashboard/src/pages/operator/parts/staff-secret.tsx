import { type ReactNode, useState } from 'react'
import { SecretOnce } from '../../../ui/secret-once.tsx'
import { Time } from '../../../ui/time.tsx'
import { isProposal } from './use-operator.ts'

const words: Readonly<Record<string, string>> = {
  publicKey: 'Public key',
  apiKey: 'API key',
  link: 'Invitation link',
  code: 'Code for the invited person',
}

interface StaffSecret {
  /** Takes the result of an action: its key, link or code is shown. A proposal has none yet. */
  readonly keep: (result: unknown) => void
  readonly dialog: ReactNode
}

/** The key, link or code that an action of staff made, shown once. */
export function useStaffSecret(): StaffSecret {
  const [made, setMade] = useState<object>()
  const texts = Object.entries(made ?? {}).filter((each): each is [string, string] => typeof each[1] === 'string')
  const expiresAt = texts.find(([name]) => name === 'expiresAt')?.[1]
  return {
    keep: (result) => {
      if (typeof result === 'object' && result !== null && !isProposal(result)) setMade(result)
    },
    dialog: (
      <SecretOnce
        about={
          expiresAt === undefined ? (
            'Pass it on by a way that only the person it is for can read.'
          ) : (
            <>
              It works until <Time at={expiresAt} />.
            </>
          )
        }
        onClose={() => setMade(undefined)}
        title="Shown once"
        values={made && texts.flatMap(([name, text]) => (words[name] ? [{ label: words[name], text }] : []))}
      />
    ),
  }
}
