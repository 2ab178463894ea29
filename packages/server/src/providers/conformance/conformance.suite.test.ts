import { generateKeyPairSync } from 'node:crypto'
import { flutterwaveBench, houseBench, pawapayBench } from './benches.suite.ts'
import { runConformance } from './conformance.suite.ts'

runConformance('pawaPay', (t) => pawapayBench(t, {}))

runConformance('pawaPay that wants our signature and does not sign', (t) => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return pawapayBench(
    t,
    { signing: { keyId: 'ours', privateKey }, areCallbacksSigned: false },
    {
      SIMULATOR_PAWAPAY_PUBLIC_KEY: String(publicKey.export({ type: 'spki', format: 'pem' })),
      SIMULATOR_PAWAPAY_KEY_ID: 'ours',
    },
  )
})

for (const rail of ['momo', 'bank', 'paybill', 'till'] as const)
  runConformance(`house, paying by ${rail}`, (t) => houseBench(t, rail))

runConformance('Flutterwave', flutterwaveBench)
