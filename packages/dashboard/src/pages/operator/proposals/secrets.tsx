import { CopyText } from '../../../ui/copy-text.tsx'
import { Note } from '../../../ui/note.tsx'

const words: Readonly<Record<string, string>> = {
  publicKey: 'Public key',
  apiKey: 'API key',
  link: 'Invitation link',
  code: 'Code for the invited person',
  expiresAt: 'Expires at',
}

/** Something that is shown once. It is in the memory of this page only. */
export function Secrets({ of }: { readonly of: object }) {
  const shown = Object.entries(of).filter(([name, value]) => words[name] !== undefined && typeof value === 'string')
  return (
    <Note look="ok">
      <p>Copy it now: it is not shown again.</p>
      <dl className="mt-2 grid gap-1">
        {shown.map(([name, value]) => (
          <div className="min-w-0" key={name}>
            <dt className="text-2xs">{words[name]}</dt>
            <dd className="min-w-0">
              <CopyText isWhole text={String(value)} what={words[name] ?? name} />
            </dd>
          </div>
        ))}
      </dl>
    </Note>
  )
}
