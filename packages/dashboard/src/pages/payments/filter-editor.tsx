import { useQuery } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { merchantApi } from '../../api/merchant-api.ts'
import type { Place } from '../../api/place.ts'
import { Button } from '../../ui/button.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { zoneChoice, zoneWord } from '../../ui/zone.ts'
import { type Field, fields, without } from './filter-fields.ts'
import { type PaymentFilters, readPaymentFilters } from './filters.ts'

interface EditorProps {
  readonly place: Place
  readonly filters: PaymentFilters
  /** The filter to change; without it the person chooses one. */
  readonly field: Field | undefined
  readonly onApply: (filters: PaymentFilters) => void
  readonly onClose: () => void
}

/** Chooses a field, then its value. Escape closes it. */
export function FilterEditor({ place, filters, field, onApply, onClose }: EditorProps) {
  const [chosen, choose] = useState(field)
  const panel = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each step gives the keyboard to its first control.
  useEffect(() => panel.current?.querySelector<HTMLElement>('button, input, select')?.focus(), [chosen])
  const set = (values: Readonly<Record<string, unknown>>) =>
    chosen && onApply({ ...without(filters, chosen), ...readPaymentFilters(values) })
  return (
    <div
      aria-label={chosen ? `Filter by ${chosen.word.toLowerCase()}` : 'Add a filter'}
      className="absolute top-[calc(100%-6px)] left-6 z-20 max-h-[60vh] w-[272px] overflow-y-auto rounded-md border border-line-2 bg-surface p-1.5 shadow-raised max-phone:left-4"
      onBlur={(event) => {
        const isOutside = event.relatedTarget instanceof Node && !event.currentTarget.contains(event.relatedTarget)
        if (isOutside) onClose()
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        event.stopPropagation()
        onClose()
      }}
      ref={panel}
      role="dialog"
    >
      {chosen ? (
        <ValueOf field={chosen} filters={filters} onSet={set} place={place} />
      ) : (
        fields.map((each) => (
          <Option key={each.name} onChoose={() => choose(each)}>
            {each.word}
          </Option>
        ))
      )}
    </div>
  )
}

function Option({ children, onChoose }: { readonly children: ReactNode; readonly onChoose: () => void }) {
  return (
    <button
      className="block w-full rounded-sm px-2.5 py-1.5 text-left hover:bg-surface-3 focus-visible:bg-surface-3"
      onClick={onChoose}
      type="button"
    >
      {children}
    </button>
  )
}

interface ValueProps {
  readonly place: Place
  readonly field: Field
  readonly filters: PaymentFilters
  readonly onSet: (values: Readonly<Record<string, unknown>>) => void
}

function ValueOf({ place, field, filters, onSet }: ValueProps) {
  const [name = 'status'] = field.sets
  const choices = field.choices?.map(({ value, word }) => (
    <Option key={value} onChoose={() => onSet({ [name]: value })}>
      {word}
    </Option>
  ))
  if (field.name === 'country') return <CountryForm filters={filters} onSet={onSet} place={place} />
  if (field.name === 'date')
    return (
      <>
        {choices}
        <ValueForm onSet={onSet} word="Show these days">
          <TextField
            defaultValue={plainDay(filters.startDate)}
            label={`From (${zoneWord(zoneChoice.get())})`}
            name="startDate"
            type="date"
          />
          <TextField defaultValue={filters.endDate} label="Until, included" name="endDate" type="date" />
        </ValueForm>
      </>
    )
  if (field.name === 'amount')
    return (
      <ValueForm onSet={onSet} word="Show these amounts">
        <TextField defaultValue={filters.minAmount} inputMode="decimal" label="At least" name="minAmount" />
        <TextField defaultValue={filters.maxAmount} inputMode="decimal" label="At most" name="maxAmount" />
      </ValueForm>
    )
  if (field.name === 'reference')
    return (
      <ValueForm onSet={onSet} word="Show this reference">
        <TextField
          className="col-span-2"
          defaultValue={filters.reference}
          hint="Your reference of the payment, in full."
          label="Reference"
          maxLength={100}
          name="reference"
          required
        />
      </ValueForm>
    )
  return choices
}

const plainDay = (day: string | undefined) => (day !== undefined && /^\d{4}-/.test(day) ? day : undefined)

interface FormProps extends Pick<ValueProps, 'onSet'> {
  readonly word: string
  readonly children: ReactNode
}

function ValueForm({ onSet, word, children }: FormProps) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    onSet(Object.fromEntries([...new FormData(event.currentTarget)].filter(([, value]) => value !== '')))
  }
  return (
    <form className="grid grid-cols-2 gap-2 p-2" onSubmit={submit}>
      {children}
      <Button className="col-span-2" type="submit">
        {word}
      </Button>
    </form>
  )
}

function CountryForm({ place, filters, onSet }: Omit<ValueProps, 'field'>) {
  const { data } = useQuery({
    queryKey: ['countries', place],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => (await merchantApi(place)('getUtilitiesCountries', { signal })).data,
  })
  const options = [...(data ?? [])]
    .map(({ iso2, name }) => ({ value: iso2, word: name }))
    .sort((left, right) => left.word.localeCompare(right.word))
  return (
    <ValueForm onSet={onSet} word="Show this country">
      <SelectField
        className="col-span-2"
        defaultValue={filters.country}
        key={options.length}
        label="Country"
        name="country"
        options={options}
      />
    </ValueForm>
  )
}
