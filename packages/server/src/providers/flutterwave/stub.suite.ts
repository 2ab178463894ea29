import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { TestContext } from 'node:test'
import { Secret } from '../../platform/secret.ts'
import type { CardChargeAttempt, PayoutAttempt, SubmitOutcome, TransferChargeAttempt } from '../contract.ts'
import { createFlutterwave } from './connector.ts'

export const key = '0197d3a0-0000-4000-8000-000000000001'
export const other = '0197d3a0-0000-4000-8000-000000000002'
export const secretKey = 'a-key-that-must-stay-secret'
export const encryptionKey = 'FLWSECK_TEST0123456789ab'
export const webhookHash = 'a-hash-that-must-stay-secret'
export const pan = '5531886652142950'

const naira = { key, country: 'NG', currency: 'NGN', amount: 150_050n } as const
export const cardCharge: CardChargeAttempt = {
  ...naira,
  card: { number: pan, cvv: '564', expMonth: '09', expYear: '2032' },
  customer: { email: 'amina@example.com', firstName: 'Amina', lastName: 'Okafor', ipAddress: '102.89.1.7' },
}
export const transferCharge: TransferChargeAttempt = { ...naira, email: 'amina@example.com', lifeSeconds: 7200 }
export const payout: PayoutAttempt = {
  ...naira,
  to: { kind: 'bank', bankCode: '044', branchCode: '', accountNumber: '0690000032', accountName: 'Juma Otieno' },
}

export const soon = () => AbortSignal.timeout(5000)

export type Says = (response: ServerResponse) => void

export const says =
  (status: number, body: unknown): Says =>
  (response) =>
    void response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body))
export const success = (rest: object) => says(200, { status: 'success', message: 'Charge initiated', ...rest })
export const refuses = (status: number, message: string) => says(status, { status: 'error', message, data: null })
export const cutOff: Says = (response) => void response.socket?.destroy()

export const causeOf = (outcome: SubmitOutcome) => ('cause' in outcome ? `${outcome.certainty}: ${outcome.cause}` : '')

/** A fake Flutterwave for one test, and a connector to it. Each call gets the next response; the last one repeats. */
export function flutterwave(t: TestContext, ...first: readonly Says[]) {
  return openStub(t, first, { hasContact: true })
}

/** The connector when the operator has not configured a contact for recipients in South Africa. */
export function flutterwaveWithoutContact(t: TestContext) {
  return openStub(t, [success({})], { hasContact: false })
}

async function openStub(t: TestContext, first: readonly Says[], { hasContact }: { readonly hasContact: boolean }) {
  const seen: { readonly line: string; readonly authorization: string | undefined; readonly json: unknown }[] = []
  const stub = { responses: [...first] }
  const server = createServer(async (request, response) => {
    const body = String(Buffer.concat(await request.toArray()))
    const { method, url, headers } = request
    seen.push({
      line: `${method} ${url}`,
      authorization: headers.authorization,
      json: body === '' ? undefined : JSON.parse(body),
    })
    const respond = stub.responses.length > 1 ? stub.responses.shift() : stub.responses[0]
    respond?.(response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const { cardCharges, transferCharges, payouts, refunds, names, rates, ...rest } = createFlutterwave({
    baseUrl: `http://127.0.0.1:${port}/v3`,
    secretKey: new Secret(secretKey),
    encryptionKey: new Secret(encryptionKey),
    webhookHash: new Secret(webhookHash),
    bankCodes: new Map([
      ['NG:044', '044'],
      ['NG:303', '000029'],
      ['GH:190100', 'GH190100'],
      ['UG:04', '04'],
      ['KE:01', '01'],
      ['ZA:250655', 'FNB'],
    ]),
    ...(hasContact && { zarContact: { email: 'pay@example.com', phone: '27821234567', address: '1 Long Street' } }),
  })
  t.after(async () => {
    await rest.close()
    server.closeAllConnections()
    server.close()
  })
  if (!cardCharges || !transferCharges || !payouts || !refunds || !names || !rates)
    throw new Error('it does not do all of it')
  return { seen, stub, server, cardCharges, transferCharges, payouts, refunds, names, rates, ...rest }
}
