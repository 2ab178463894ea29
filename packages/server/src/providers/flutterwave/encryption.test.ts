import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Secret } from '../../platform/secret.ts'
import { encrypt } from './encryption.ts'

test('a charge is encrypted exactly as Flutterwave decrypts it', () => {
  const charge =
    '{"card_number":"5531886652142950","cvv":"564","expiry_month":"09","expiry_year":"32","currency":"NGN","amount":"100","email":"a@b.co","tx_ref":"T1"}'

  assert.equal(
    encrypt(charge, new Secret('FLWSECK_TEST0123456789ab')),
    'ZYlMxM1hI/KQ3JMv5GQbOGdhMRBygschW8sa6niAMGxB6v2TSd0vVHxkRjmL2UbJ+n+KJHWgMgsxj5m9vCMMQYH1S3xtiKWAjCeGSmMIiw22BWlrNnq8BcKT6ofLB/oi8DBsvwfr2J4TtIoqJw/qUctgRiJUBiN+9AVVIrymlu23Kdyef0djG0IxbJRREI2NfwtehRKBjug=',
  )
})
