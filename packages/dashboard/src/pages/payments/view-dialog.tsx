import { type FormEvent, useState } from 'react'
import { merchantApi } from '../../api/merchant-api.ts'
import type { Place } from '../../api/place.ts'
import { ActionProblem } from '../../ui/action-problem.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { CheckField, TextField } from '../../ui/field.tsx'
import { problemOf, useAction } from '../../ui/use-action.ts'
import { fields, isSet, wordsOf } from './filter-fields.ts'
import type { PaymentFilters } from './filters.ts'
import { type SavedView, savedViewsKey } from './saved-views-query.ts'
import { keptFilters } from './views.ts'

interface ViewDialogProps {
  readonly place: Place
  readonly filters: PaymentFilters
  /** The view to change; undefined: a new one. */
  readonly view: SavedView | undefined
  readonly onClose: () => void
  readonly onDeleted: () => void
}

/** Saves the filters under a name, and renames, shares or deletes a view. */
export function ViewDialog(props: ViewDialogProps) {
  const title = props.view ? 'Change the view' : 'Save this view'
  return (
    <Dialog className="w-[420px] max-w-[calc(100vw-24px)]" isOpen onClose={props.onClose} title={title}>
      <ViewForm {...props} title={title} />
    </Dialog>
  )
}

function ViewForm({ place, filters, view, onClose, onDeleted, title }: ViewDialogProps & { readonly title: string }) {
  const [name, setName] = useState(view?.name ?? '')
  const [isShared, setShared] = useState(view?.isShared ?? false)
  const kept = keptFilters(view?.filters ?? filters)
  const changes = [savedViewsKey(place)]
  const api = merchantApi(place)
  const save = useAction({
    run: async (content: { readonly name: string; readonly isShared: boolean }) => {
      const body = { ...content, filters: kept as never }
      if (view) await api('putSavedViewsViewId', { path: { viewId: view.id }, body })
      else await api('postSavedViews', { body: { ...body, page: 'payments' } })
    },
    done: () => 'View saved',
    changes,
    onDone: onClose,
  })
  const remove = useAction({
    run: (viewId: string) => api('deleteSavedViewsViewId', { path: { viewId } }),
    done: () => 'View deleted',
    changes,
    onDone: () => {
      onClose()
      onDeleted()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.run({ name: name.trim(), isShared })
  }
  return (
    <form className="grid gap-4 p-5" onSubmit={submit}>
      <h2 className="text-lg font-semibold">{title}</h2>
      <p className="text-ink-2">{wordsOfFilters(kept)}</p>
      <TextField
        label="Name"
        maxLength={60}
        onChange={(event) => setName(event.target.value)}
        problem={problemOf(save.error, 'name')}
        required
        value={name}
      />
      <CheckField isChecked={isShared} label="Others of your company see it too" onChange={setShared} />
      <ActionProblem error={save.error ?? remove.error} />
      <div className="flex justify-end gap-2">
        {view && (
          <Button className="mr-auto" isBusy={remove.isBusy} look="danger" onClick={() => remove.run(view.id)}>
            Delete the view
          </Button>
        )}
        <Button look="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button disabled={name.trim() === ''} isBusy={save.isBusy} look="primary" type="submit">
          Save the view
        </Button>
      </div>
    </form>
  )
}

/** `Type is Payout, Amount at least 500`. */
function wordsOfFilters(filters: PaymentFilters): string {
  const parts = fields
    .filter((field) => isSet(filters, field))
    .map((field) => {
      const { operator, value } = wordsOf(filters, field)
      return `${field.word} ${operator} ${value}`
    })
  return parts.length === 0 ? 'All payments.' : `${parts.join(', ')}.`
}
