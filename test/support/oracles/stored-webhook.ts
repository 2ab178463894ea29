/** A received webhook as it is stored: without the payer of a charge, who is added when it is sent. */
export function storedWebhook(body: string): string {
  const event = JSON.parse(body) as { data: Record<string, unknown> }
  const { customer, ...data } = event.data
  return customer === undefined ? body : JSON.stringify({ ...event, data })
}
