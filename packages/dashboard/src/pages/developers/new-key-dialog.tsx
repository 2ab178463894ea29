import { type FormEvent, useState } from 'react'
import { merchantApi } from '../../api/merchant-api.ts'
import { scopes } from '../../generated/access.ts'
import type { Operations } from '../../generated/merchant-api.ts'
import { ActionProblem } from '../../ui/action-problem.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { CheckField, TextAreaField } from '../../ui/field.tsx'
import { problemOf, useAction } from '../../ui/use-action.ts'
import { useMay, usePlace } from '../use-place.ts'
import type { MadePair } from './key-dialogs.tsx'

interface NewKeyDialogProps {
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly onMade: (made: MadePair) => void
}

export function NewKeyDialog(props: NewKeyDialogProps) {
  return (
    <Dialog
      className="w-[560px] max-w-[calc(100vw-24px)]"
      isOpen={props.isOpen}
      onClose={props.onClose}
      title="New key pair"
    >
      <NewKey {...props} />
    </Dialog>
  )
}

type NewKeyBody = Operations['postKeys']['body']

const linesOf = (text: string) => text.split(/[\s,;]+/).filter((line) => line !== '')

function NewKey({ onClose, onMade }: NewKeyDialogProps) {
  const place = usePlace()
  const may = useMay()
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [addresses, setAddresses] = useState('')
  const create = useAction({
    run: async (body: NewKeyBody) => (await merchantApi(place)('postKeys', { body })).data,
    done: () => undefined,
    changes: [['keys', place]],
    onDone: (made) => {
      onClose()
      onMade(made)
    },
  })
  const toggle = (scope: string, isChosen: boolean) =>
    setChosen(new Set(isChosen ? [...chosen, scope] : [...chosen].filter((each) => each !== scope)))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.run({ scopes: [...chosen] as NewKeyBody['scopes'], addresses: linesOf(addresses) })
  }
  return (
    <form className="grid gap-4 p-5" onSubmit={submit}>
      <h2 className="text-lg font-semibold">New {place.env} key pair</h2>
      <fieldset className="grid gap-1">
        <legend className="mb-1 text-xs font-medium text-ink-2">What it may do</legend>
        <div className="grid gap-x-4 phone:grid-cols-2">
          {scopes.map(({ scope, needs }) => {
            const missing = needs.find((permission) => !may.has(permission))
            return (
              <CheckField
                isChecked={chosen.has(scope)}
                isDisabled={missing !== undefined}
                key={scope}
                label={missing === undefined ? scope : `${scope} (needs ${missing})`}
                onChange={(isChosen) => toggle(scope, isChosen)}
              />
            )
          })}
        </div>
        <p className="text-xs text-ink-3">Give a key only what its server does. A key cannot do more than you may.</p>
      </fieldset>
      <TextAreaField
        hint="Addresses or ranges such as 203.0.113.0/24, one on each line. None: any address."
        label="Allowed addresses"
        onChange={(event) => setAddresses(event.target.value)}
        problem={problemOf(create.error, 'addresses')}
        value={addresses}
      />
      <ActionProblem error={create.error} />
      <div className="flex justify-end gap-2">
        <Button look="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button disabled={chosen.size === 0} isBusy={create.isBusy} look="primary" type="submit">
          Create the key pair
        </Button>
      </div>
    </form>
  )
}
