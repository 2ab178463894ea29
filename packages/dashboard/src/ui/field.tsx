import {
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useId,
} from 'react'
import { Icon } from './icons.tsx'

interface FieldProps {
  readonly label: string
  readonly hint?: ReactNode
  /** What is wrong, and how to put it right. */
  readonly problem?: string | undefined
  readonly className?: string
}

type Control = Readonly<{ id: string; 'aria-describedby': string | undefined; 'aria-invalid': boolean }>

function Field({
  label,
  hint,
  problem,
  className = '',
  children,
}: FieldProps & { children: (control: Control) => ReactNode }) {
  const id = useId()
  const note = problem ?? hint
  return (
    <div className={`grid content-start gap-1 ${className}`}>
      <label className="text-xs font-medium text-ink-2" htmlFor={id}>
        {label}
      </label>
      {children({
        id,
        'aria-describedby': note === undefined ? undefined : `${id}-note`,
        'aria-invalid': problem !== undefined,
      })}
      {note !== undefined && (
        <p className={`flex gap-1.5 text-xs ${problem === undefined ? 'text-ink-3' : 'text-fail'}`} id={`${id}-note`}>
          {problem !== undefined && <Icon className="mt-px" name="failed" size={14} />}
          <span>{note}</span>
        </p>
      )}
    </div>
  )
}

const look =
  'w-full rounded-sm border border-line-3 bg-surface px-2.5 outline-offset-0 aria-invalid:border-fail disabled:bg-surface-3 disabled:text-ink-3 max-phone:text-lg'

type TextFieldProps = FieldProps &
  Omit<InputHTMLAttributes<HTMLInputElement>, 'id' | 'className'> & {
    /** For the one amount that a page is about. */
    readonly isLarge?: boolean
  }

export function TextField({ label, hint, problem, className = '', isLarge = false, ...rest }: TextFieldProps) {
  return (
    <Field className={className} hint={hint} label={label} problem={problem}>
      {(control) => (
        <input
          autoComplete="off"
          className={`${isLarge ? 'h-12 text-xl font-semibold' : 'h-9'} ${look}`}
          {...rest}
          {...control}
        />
      )}
    </Field>
  )
}

type TextAreaFieldProps = FieldProps & Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'id' | 'className'>

export function TextAreaField({ label, hint, problem, className = '', ...rest }: TextAreaFieldProps) {
  return (
    <Field className={className} hint={hint} label={label} problem={problem}>
      {(control) => <textarea className={`min-h-20 py-2 ${look}`} {...rest} {...control} />}
    </Field>
  )
}

/** Why a person does something. The server takes at most 500 characters. */
export const ReasonField = (props: Omit<TextAreaFieldProps, 'label'>) => (
  <TextAreaField hint="It is kept in the audit trail." label="Reason" maxLength={500} required {...props} />
)

type SelectFieldProps = FieldProps &
  Omit<SelectHTMLAttributes<HTMLSelectElement>, 'id' | 'className'> & {
    readonly options: readonly { readonly value: string; readonly word: string }[]
  }

export function SelectField({ label, hint, problem, className = '', options, ...rest }: SelectFieldProps) {
  return (
    <Field className={className} hint={hint} label={label} problem={problem}>
      {(control) => (
        <select className={`h-9 ${look}`} {...rest} {...control}>
          {options.map(({ value, word }) => (
            <option key={value} value={value}>
              {word}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

interface CheckFieldProps {
  readonly label: string
  readonly isChecked: boolean
  readonly onChange: (isChecked: boolean) => void
  readonly isDisabled?: boolean
}

export function CheckField({ label, isChecked, onChange, isDisabled = false }: CheckFieldProps) {
  return (
    <label className="flex min-h-6 items-center gap-2">
      <input
        checked={isChecked}
        className="size-4 accent-[var(--brand)]"
        disabled={isDisabled}
        onChange={(event) => onChange(event.target.checked)}
        type="checkbox"
      />
      {label}
    </label>
  )
}
