import { useQuery } from '@tanstack/react-query'
import { operatorApi } from '../../../api/operator-api.ts'
import { Card } from '../../../ui/card.tsx'
import { TextField } from '../../../ui/field.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { QueryProblem } from '../parts/query-problem.tsx'
import { useOperator } from '../parts/use-operator.ts'
import { codesOf } from '../people/invite-dialog.tsx'
import { currenciesQuery } from './queries.ts'
import type { PartProps } from './wallets.tsx'

/** Currencies that the merchant may use. */
export function Currencies({ merchant: { id, name }, env }: PartProps) {
  const { may } = useOperator()
  const { data, error } = useQuery(currenciesQuery(id))
  const here = data?.find((each) => each.env === env)
  return (
    <Card
      actions={
        may('merchants:write') && (
          <FormDialog
            done="The currencies are set"
            run={({ enable, disable, reason = '' }) =>
              operatorApi('putMerchantsMerchantCurrencies', {
                path: { merchant: id },
                body: {
                  env,
                  reason,
                  ...(enable !== undefined && { enable: codesOf(enable) }),
                  ...(disable !== undefined && { disable: codesOf(disable) }),
                },
              })
            }
            title={`Currencies of ${name}`}
            verb="Set the currencies"
            word="Change currencies"
          >
            <TextField hint="Codes such as KES, UGX" label="Turn on" name="enable" />
            <TextField hint="New payments in them are refused" label="Turn off" name="disable" />
          </FormDialog>
        )
      }
      title="Currencies"
    >
      <QueryProblem error={error} />
      {here && (
        <dl className="grid gap-2">
          <div>
            <dt className="text-2xs text-ink-3">On</dt>
            <dd className="text-xs leading-5">{here.enabled.join(', ') || 'none'}</dd>
          </div>
          <div>
            <dt className="text-2xs text-ink-3">Off</dt>
            <dd className="text-xs leading-5">{here.disabled.join(', ') || 'none'}</dd>
          </div>
        </dl>
      )}
    </Card>
  )
}
