import { Dialog } from '../ui/dialog.tsx'

const keys = [
  ['⌘ K or /', 'Search'],
  ['g h', 'Home'],
  ['g p', 'Payments'],
  ['g b', 'Balances'],
  ['g d', 'Developers'],
  ['j and k', 'Next and previous row'],
  ['Enter', 'Open the row'],
  ['Esc', 'Close'],
  ['x', 'Select the row'],
  ['c', 'Copy the id'],
  ['f', 'Add a filter'],
  ['e', 'Export'],
  ['n', 'New payout'],
  ['?', 'This list'],
] as const

export function ShortcutSheet({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog className="w-[360px]" isOpen onClose={onClose} title="Keyboard shortcuts">
      <h2 className="px-5 pt-4 text-lg font-semibold">Keyboard shortcuts</h2>
      <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-2 p-5">
        {keys.map(([key, what]) => (
          <div className="contents" key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd className="text-ink-2">{what}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
