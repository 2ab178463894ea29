import { operatorRoles } from '../../../generated/operator-values.ts'
import { Card } from '../../../ui/card.tsx'
import { type Column, DataTable } from '../../../ui/data-table.tsx'

type Role = (typeof operatorRoles)[number]

const columns: readonly Column<Role>[] = [
  { head: 'Role', cell: ({ role }) => <b className="font-semibold">{role}</b> },
  { head: 'What for', cell: ({ summary }) => summary },
  {
    head: 'Permissions',
    isWideOnly: true,
    className: 'text-xs text-ink-3',
    cell: ({ permissions }) => permissions.join(', '),
  },
]

/** What each role may do. */
export function RolesTable() {
  return (
    <Card isFlush title="Roles">
      <DataTable columns={columns} keyOf={({ role }) => role} label="Roles, table" rows={operatorRoles} />
    </Card>
  )
}
