/** A text with the part that was typed marked. */
export function Marked({ text, q }: { readonly text: string; readonly q: string }) {
  const at = q === '' ? -1 : text.toLowerCase().indexOf(q.toLowerCase())
  if (at < 0) return text
  return (
    <>
      {text.slice(0, at)}
      <mark className="rounded-xs bg-warn-soft text-ink ring-1 ring-warn-line">{text.slice(at, at + q.length)}</mark>
      {text.slice(at + q.length)}
    </>
  )
}
