/** Inputs that each kind of parameter must refuse. */
export type InputKind = keyof typeof hostile

const notText = [1, null, true, ['1'], { value: '1' }] as const
const notNumbers = ['1', '', null, true, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, [1]] as const

const finerThanWei = '1.0000000000000000001'

const amounts = [
  ...notText,
  '',
  ' 1',
  '1 ',
  '-0',
  '-1',
  '+1',
  '1e18',
  '1E2',
  '0x10',
  '01',
  '00',
  '.5',
  '1.',
  '1,5',
  '1_000',
  '1.2.3',
  'NaN',
  'Infinity',
  '\uFF11',
  '\u0661',
  '1\u0000',
  '1\n',
  '9'.repeat(79),
  `0.${'0'.repeat(77)}1`,
] as const

const addresses = [
  ...notText,
  '',
  '0x',
  'vitalik.eth',
  '0x1f9840a85d5aF5bf1D1762F925BDADdC4201F98',
  '0x1f9840a85d5aF5bf1D1762F925BDADdC4201F9844',
  '0x1F9840a85d5aF5bf1D1762F925BDADdC4201F984',
  '0X1f9840a85d5aF5bf1D1762F925BDADdC4201F984',
  '0x1f9840a85d5aF5bf1D1762F925BDADdC4201F98\u0413',
  ' 0x1f9840a85d5aF5bf1D1762F925BDADdC4201F984',
  '1f9840a85d5aF5bf1D1762F925BDADdC4201F984',
  `0x${'g'.repeat(40)}`,
] as const

export const hostile = {
  /** Where the token is known only after a read. */
  amountForm: amounts,
  amount: [...amounts, finerThanWei],
  positiveAmount: [...amounts, finerThanWei, '0', '0.0'],
  address: addresses,
  token: [...addresses, 'US DC', 'USDC\u200b', '\u0405USDC', 'USDC;', 'A'.repeat(60), 'NOSUCHTOKEN'],
  tokens: ['WETH', [1], ['WETH', 'NOSUCHTOKEN'], ['0x12'], Array.from({ length: 51 }, () => 'WETH')],
  chain: [
    ...notText,
    '',
    ' ',
    'atlantis',
    '99999999',
    'base ',
    '\uFF18453',
    'b\u0430se',
    'x'.repeat(60),
    '1.0',
    '0x1',
    '__proto__',
  ],
  fee: [...notNumbers, -1, 300, 0.3, 3000.5, 1_000_001],
  /** Where v4 pools with other fees may be meant. */
  anyFee: [...notNumbers, -1, 3000.5, 1_000_001],
  anyVersion: ['', 'V3', 'v1', 'v5', 3, null, '__proto__', ['v3']],
  rangedVersion: ['v2', '', 'V3', 'v5', 3, null],
  versions: ['v3', [], ['v9'], [3], ['v2', 'v3', 'v4', 'v2']],
  positionId: [...notText, '', '-1', '01', '1.0', '0x1', ' 1', '1e3', '\uFF11', '9'.repeat(79), 'latest'],
  pool: [...addresses, `0x${'A'.repeat(64)}`, `0x${'1'.repeat(63)}`, `0x${'1'.repeat(65)}`],
  price: [...notNumbers, 0, -0, -1],
  percentage: [...notNumbers, 0, -1, 0.99, 100.01, 101],
  rangeStrategy: ['', 'Medium', 'tight', 5, null],
  slippage: [...notNumbers, 0, -1, 0.5, 5001],
  deadline: [...notNumbers, 0, 9, 86_401, 60.5],
  limit: [...notNumbers, 0, -1, 101, 1.5],
  cursor: [...notText, '', '-1', 'abc', '1.5', '1'.repeat(10), '\uFF11'],
  flag: ['true', 1, 0, null, 'yes'],
  tick: [...notNumbers, 1.5, 887_273, -887_273],
  aroundPct: [...notNumbers, 0, -5, 100],
  maxTicks: [...notNumbers, 0, 501, 1.5],
  hash: [...notText, '', '0x12', `0x${'g'.repeat(64)}`, '1'.repeat(64), `0x${'1'.repeat(65)}`],
  query: [...notText, '', ' ', ' USDC', 'US\u0000DC', '\u0405USDC', 'x'.repeat(65)],
  quoteType: ['', 'exact_out', 'EXACT_IN', 1, null],
} as const satisfies Readonly<Record<string, readonly unknown[]>>
