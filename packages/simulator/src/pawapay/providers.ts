/**
 * pawaPay's operators, typed from its published tables and a captured active-conf. This is the simulator's own copy, so
 * that an error in the server's tables shows. Unpublished limits are wide.
 */
export interface Limits {
  readonly min: string
  readonly max: string
  readonly decimals: number
}

export interface Money {
  readonly currency: string
  readonly deposit: Limits
  readonly payout: Limits
}

export interface Provider {
  readonly id: string
  readonly country: string
  readonly name: string
  readonly auth: 'PROVIDER_AUTH' | 'PREAUTH' | 'REDIRECT_AUTH'
  readonly pinPrompt?: 'AUTOMATIC' | 'MANUAL'
  readonly money: readonly Money[]
  /** Prefixes of its numbers after the dial code, for prediction only: numbers are ported. */
  readonly prefixes: string
}

const limits = (min: string, max: string, decimals: number): Limits => ({ min, max, decimals })
const wide = (decimals: number) => limits('1', '1000000000', decimals)
const same = (currency: string, both: Limits): Money => ({ currency, deposit: both, payout: both })
const automatic = { auth: 'PROVIDER_AUTH', pinPrompt: 'AUTOMATIC' } as const
const manual = { auth: 'PROVIDER_AUTH', pinPrompt: 'MANUAL' } as const
const preauth = { auth: 'PREAUTH' } as const
const redirect = { auth: 'REDIRECT_AUTH' } as const

export const providers: readonly Provider[] = [
  {
    id: 'MTN_MOMO_BEN',
    country: 'BEN',
    name: 'MTN',
    ...automatic,
    money: [same('XOF', limits('1', '2000000', 0))],
    prefixes: '42 46 50 51 52 53 54 56 57 59 61 62 66 67 69 90 91 96 97',
  },
  {
    id: 'MOOV_BEN',
    country: 'BEN',
    name: 'Moov',
    ...automatic,
    money: [same('XOF', limits('100', '2000000', 0))],
    prefixes: '45 55 58 60 63 64 65 68 94 95 98 99',
  },
  {
    id: 'MOOV_BFA',
    country: 'BFA',
    name: 'Moov',
    ...manual,
    money: [same('XOF', limits('100', '2000000', 0))],
    prefixes: '01 02 03 50 51 52 53 60 61 62 63 70 71 72 73',
  },
  {
    id: 'ORANGE_BFA',
    country: 'BFA',
    name: 'Orange',
    ...preauth,
    money: [same('XOF', limits('100', '2000000', 0))],
    prefixes: '04 05 06 07 44 45 46 54 55 56 57 64 65 66 67 74 75 76 77',
  },
  {
    id: 'MTN_MOMO_CMR',
    country: 'CMR',
    name: 'MTN',
    ...automatic,
    money: [same('XAF', limits('1', '1000000', 0))],
    prefixes: '650 651 652 653 654 67 680 681 682 683',
  },
  {
    id: 'ORANGE_CMR',
    country: 'CMR',
    name: 'Orange',
    ...automatic,
    money: [same('XAF', limits('1', '500000', 0))],
    prefixes: '64 655 656 657 658 659 686 687 688 689 69',
  },
  {
    id: 'MTN_MOMO_CIV',
    country: 'CIV',
    name: 'MTN',
    ...manual,
    money: [same('XOF', limits('1', '2000000', 0))],
    prefixes: '05',
  },
  {
    id: 'ORANGE_CIV',
    country: 'CIV',
    name: 'Orange',
    ...manual,
    money: [same('XOF', limits('1', '2000000', 0))],
    prefixes: '07',
  },
  {
    id: 'WAVE_CIV',
    country: 'CIV',
    name: 'Wave',
    ...redirect,
    money: [same('XOF', limits('1', '2000000', 0))],
    prefixes: '',
  },
  {
    id: 'VODACOM_MPESA_COD',
    country: 'COD',
    name: 'Vodacom',
    ...automatic,
    money: [
      { currency: 'CDF', deposit: limits('500', '1000000', 0), payout: limits('1000', '1000000', 0) },
      same('USD', wide(2)),
    ],
    prefixes: '81 82 83 86',
  },
  {
    id: 'AIRTEL_COD',
    country: 'COD',
    name: 'Airtel',
    ...automatic,
    money: [same('CDF', limits('100', '6250000', 2)), same('USD', wide(2))],
    prefixes: '96 97 98 99',
  },
  {
    id: 'ORANGE_COD',
    country: 'COD',
    name: 'Orange',
    ...automatic,
    money: [same('CDF', limits('10', '1000000', 2)), same('USD', wide(2))],
    prefixes: '80 84 85 89',
  },
  { id: 'MPESA_ETH', country: 'ETH', name: 'M-Pesa', ...automatic, money: [same('ETB', wide(2))], prefixes: '7' },
  {
    id: 'AIRTEL_GAB',
    country: 'GAB',
    name: 'Airtel',
    ...automatic,
    money: [same('XAF', wide(2))],
    prefixes: '04 07 74 76 77',
  },
  {
    id: 'MTN_MOMO_GHA',
    country: 'GHA',
    name: 'MTN',
    ...automatic,
    money: [same('GHS', limits('1', '15000', 2))],
    prefixes: '24 25 53 54 55 59',
  },
  {
    id: 'AIRTELTIGO_GHA',
    country: 'GHA',
    name: 'AT',
    ...automatic,
    money: [same('GHS', limits('1', '10000', 2))],
    prefixes: '23 26 27 56 57',
  },
  {
    id: 'VODAFONE_GHA',
    country: 'GHA',
    name: 'Telecel',
    ...automatic,
    money: [same('GHS', limits('1', '15000', 2))],
    prefixes: '20 50',
  },
  {
    id: 'MPESA_KEN',
    country: 'KEN',
    name: 'M-Pesa',
    ...automatic,
    money: [{ currency: 'KES', deposit: limits('1', '250000', 0), payout: limits('10', '250000', 2) }],
    prefixes: '11 14 18 70 71 72 74 757 758 759 768 769 79',
  },
  { id: 'MPESA_LSO', country: 'LSO', name: 'M-Pesa', ...automatic, money: [same('LSL', wide(2))], prefixes: '1 5' },
  {
    id: 'AIRTEL_MWI',
    country: 'MWI',
    name: 'Airtel',
    ...automatic,
    money: [same('MWK', limits('50', '750000', 2))],
    prefixes: '9',
  },
  {
    id: 'TNM_MWI',
    country: 'MWI',
    name: 'TNM',
    ...automatic,
    money: [same('MWK', limits('50', '750000', 2))],
    prefixes: '8 3',
  },
  {
    id: 'VODACOM_MOZ',
    country: 'MOZ',
    name: 'Vodacom',
    ...automatic,
    money: [same('MZN', wide(2))],
    prefixes: '84 85',
  },
  {
    id: 'MOVITEL_MOZ',
    country: 'MOZ',
    name: 'Movitel',
    ...automatic,
    money: [{ currency: 'MZN', deposit: wide(0), payout: wide(2) }],
    prefixes: '86 87 88 10',
  },
  {
    id: 'MTN_MOMO_NGA',
    country: 'NGA',
    name: 'MTN',
    ...automatic,
    money: [same('NGN', wide(2))],
    prefixes: '703 704 706 707 803 806 810 813 814 816 903 906 913 916 7025 7026',
  },
  {
    id: 'AIRTEL_NGA',
    country: 'NGA',
    name: 'Airtel',
    ...automatic,
    money: [same('NGN', wide(0))],
    prefixes: '701 708 802 808 812 901 902 904 907 911 912',
  },
  {
    id: 'MTN_MOMO_COG',
    country: 'COG',
    name: 'MTN',
    ...automatic,
    money: [same('XAF', limits('10', '1500000', 0))],
    prefixes: '06',
  },
  {
    id: 'AIRTEL_COG',
    country: 'COG',
    name: 'Airtel',
    ...automatic,
    money: [same('XAF', limits('10', '1500000', 0))],
    prefixes: '04 05',
  },
  {
    id: 'MTN_MOMO_RWA',
    country: 'RWA',
    name: 'MTN',
    ...automatic,
    money: [same('RWF', limits('5', '2000000', 0))],
    prefixes: '78 79',
  },
  {
    id: 'AIRTEL_RWA',
    country: 'RWA',
    name: 'Airtel',
    ...automatic,
    money: [same('RWF', limits('100', '1500000', 0))],
    prefixes: '72 73',
  },
  {
    id: 'ORANGE_SEN',
    country: 'SEN',
    name: 'Orange',
    ...manual,
    money: [{ currency: 'XOF', deposit: limits('2', '100000000', 0), payout: limits('1', '200000', 0) }],
    prefixes: '71 77 78',
  },
  {
    id: 'FREE_SEN',
    country: 'SEN',
    name: 'Free',
    ...manual,
    money: [{ currency: 'XOF', deposit: limits('5', '100000000', 0), payout: limits('1', '200000', 0) }],
    prefixes: '76',
  },
  { id: 'WAVE_SEN', country: 'SEN', name: 'Wave', ...redirect, money: [same('XOF', wide(0))], prefixes: '' },
  {
    id: 'ORANGE_SLE',
    country: 'SLE',
    name: 'Orange',
    ...manual,
    money: [same('SLE', limits('1', '15000', 2))],
    prefixes: '71 72 73 74 75 76 78 79',
  },
  {
    id: 'VODACOM_TZA',
    country: 'TZA',
    name: 'Vodacom',
    ...automatic,
    money: [same('TZS', limits('100', '5000000', 0))],
    prefixes: '72 74 75 76 79',
  },
  {
    id: 'AIRTEL_TZA',
    country: 'TZA',
    name: 'Airtel',
    ...automatic,
    money: [same('TZS', limits('100', '3000000', 2))],
    prefixes: '66 68 69 78',
  },
  {
    id: 'TIGO_TZA',
    country: 'TZA',
    name: 'Tigo',
    ...automatic,
    money: [{ currency: 'TZS', deposit: limits('100', '5000000', 0), payout: limits('1', '5000000', 0) }],
    prefixes: '65 67 70 71 77',
  },
  {
    id: 'HALOTEL_TZA',
    country: 'TZA',
    name: 'Halotel',
    ...automatic,
    money: [same('TZS', limits('100', '5000000', 0))],
    prefixes: '61 62 63',
  },
  {
    id: 'MTN_MOMO_UGA',
    country: 'UGA',
    name: 'MTN',
    ...automatic,
    money: [same('UGX', limits('500', '5000000', 2))],
    prefixes: '724 737 76 77 78 790 791 792 793 794',
  },
  {
    id: 'AIRTEL_OAPI_UGA',
    country: 'UGA',
    name: 'Airtel',
    ...automatic,
    money: [same('UGX', limits('500', '5000000', 0))],
    prefixes: '70 74 75 730 731 795',
  },
  {
    id: 'MTN_MOMO_ZMB',
    country: 'ZMB',
    name: 'MTN',
    ...automatic,
    money: [same('ZMW', limits('1', '20000', 2))],
    prefixes: '56 76 96',
  },
  {
    id: 'AIRTEL_OAPI_ZMB',
    country: 'ZMB',
    name: 'Airtel',
    ...automatic,
    money: [same('ZMW', limits('1', '20000', 2))],
    prefixes: '57 77 97',
  },
  {
    id: 'ZAMTEL_ZMB',
    country: 'ZMB',
    name: 'Zamtel',
    ...automatic,
    money: [same('ZMW', limits('1', '20000', 2))],
    prefixes: '55 75 95',
  },
]

const byId = new Map(providers.map((provider) => [provider.id, provider]))

export const findProvider = (id: string): Provider | undefined => byId.get(id)
