import { type ChangeEvent, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { TextAreaField } from '../../ui/field.tsx'
import { Icon } from '../../ui/icons.tsx'
import { Note } from '../../ui/note.tsx'
import { type BulkRow, readBulkFile, sampleFile, textOfFile } from './bulk-file.ts'

export interface OpenFile {
  readonly name: string
  readonly rows: readonly BulkRow[]
}

/** Takes a file or pasted text. Nothing leaves the browser before it is read. */
export function FileCard({ onRead }: { readonly onRead: (file: OpenFile) => void }) {
  const [problem, setProblem] = useState<string>()
  const [text, setText] = useState('')
  const read = (name: string, content: string) => {
    const result = readBulkFile(content)
    setProblem(result.problem)
    if (result.rows) onRead({ name, rows: result.rows })
  }
  const choose = async ({ target }: ChangeEvent<HTMLInputElement>) => {
    const [file] = target.files ?? []
    target.value = ''
    if (file) read(file.name, await textOfFile(file))
  }
  return (
    <Card about="CSV with commas or semicolons, at most 1,000 rows" title="Your file">
      <div className="grid gap-4">
        <label className="grid cursor-pointer justify-items-center gap-1.5 rounded-md border border-dashed border-line-3 px-4 py-8 text-center hover:bg-hover focus-within:outline-2 focus-within:outline-brand">
          <Icon className="rotate-180" name="download" size={20} />
          <b className="font-medium">Choose a CSV file</b>
          <span className="text-xs text-ink-3">It is read in this browser and checked before anything is paid.</span>
          <input
            accept=".csv,.txt,text/csv,text/plain"
            className="sr-only"
            onChange={(event) => void choose(event)}
            type="file"
          />
        </label>
        {problem !== undefined && <Note look="fail">{problem}</Note>}
        <TextAreaField
          hint="Copied from a file or a spreadsheet that is saved as CSV."
          label="Or paste the rows, with the line of column names"
          onChange={({ target }) => setText(target.value)}
          placeholder={sampleFile}
          rows={5}
          spellCheck={false}
          value={text}
        />
        <div className="flex flex-wrap gap-2">
          <Button disabled={text.trim() === ''} look="primary" onClick={() => read('Pasted rows', text)}>
            Check the rows
          </Button>
          <Button look="quiet" onClick={() => setText(sampleFile)}>
            Fill in an example
          </Button>
        </div>
      </div>
    </Card>
  )
}

const wordsOf = [
  ['externalReference', 'your unique reference of the payout; required'],
  ['amount', 'in major units, such as 1500.50; required'],
  ['currency, country', 'what the beneficiary gets, and where: KES, KE'],
  ['destination', 'MoMo, Bank Account, Paybill or Till; MoMo if left out'],
  ['accountName, accountNumber', 'the holder, and the phone or account number'],
  ['code, branchCode', 'of the operator or bank, and of its branch'],
  ['businessNumber', 'of a Paybill'],
  ['externalAccountId', 'a saved beneficiary, instead of the account'],
  ['debitCurrency, debitCountry', 'the wallet that pays, if it has another currency'],
] as const

export function ColumnsCard() {
  return (
    <Card about="in any order" title="Columns">
      <dl className="grid gap-2.5">
        {wordsOf.map(([name, words]) => (
          <div key={name}>
            <dt className="font-mono text-xs">{name}</dt>
            <dd className="text-xs text-ink-3">{words}</dd>
          </div>
        ))}
      </dl>
    </Card>
  )
}
