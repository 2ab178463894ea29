/** The errors of webhook endpoints: a part of the catalogue in errors.ts. */
export const webhookErrors = {
  WEBHOOK_ENDPOINT_MISSING: {
    errorCode: 'WEBHOOK_ENDPOINT_NOT_FOUND',
    status: 404,
    message: 'Webhook endpoint not found.',
    cause: 'The endpoint does not exist in this environment, belongs to another merchant, or was deleted.',
    fix: 'List the endpoints with `GET /webhook-endpoints`. The default exists while the profile has a URL.',
  },
  WEBHOOK_ENDPOINT_LIMIT: {
    errorCode: 'WEBHOOK_ENDPOINT_LIMIT',
    status: 409,
    message: 'The environment has as many webhook endpoints as allowed.',
    cause: 'An environment has at most 10 endpoints: the default, and 9 that you add.',
    fix: 'Delete an endpoint that you no longer need, or change one with `PUT /webhook-endpoints/{id}`.',
  },
  WEBHOOK_ENDPOINT_DISABLED: {
    errorCode: 'WEBHOOK_ENDPOINT_DISABLED',
    status: 409,
    message: 'The webhook endpoint is disabled.',
    cause: 'You disabled the endpoint of this record, so nothing is sent to it.',
    fix: 'Enable it with `PUT /webhook-endpoints/{id}` and `"isEnabled": true`, then send the request again.',
  },
} as const
