import { queryOptions } from '@tanstack/react-query'
import { operatorApi } from '../../../api/operator-api.ts'
import type { Environment } from '../../../api/place.ts'
import { operatorKey } from '../parts/use-operator.ts'

export const operationsQuery = (env: Environment) =>
  queryOptions({
    queryKey: [operatorKey, 'operations', env],
    refetchInterval: 15_000,
    queryFn: async ({ signal }) => (await operatorApi('getOperations', { query: { env }, signal })).data,
  })
