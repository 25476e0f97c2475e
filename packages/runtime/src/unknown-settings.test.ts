import { expect, it } from 'vitest'
import { unknownSettings } from './settings.ts'

const known = {
  names: ['SVC_LISTEN', 'SVC_FAUCET_PER_NETWORK_DAY', 'PRIVATE_KEY', 'LOG_LEVEL'],
  perChain: ['SVC_RPC_URL_'],
}

it('a name that no setting has comes with the one it is a slip of, and with none where it is far from all', () => {
  const given = [
    'SVC_LISTEN',
    'SVC_LISTEM',
    'SVC_FAUCET_PER_NETWROK_DAY',
    'LOG_LEVLE',
    'SVC_LISSENX',
    'PRIVATE_KEYS',
    'SVC_RPC_URL_x',
    'PATH',
  ]
  expect(unknownSettings(given, known)).toMatchObject([
    { name: 'SVC_LISTEM', meant: 'SVC_LISTEN' },
    { name: 'SVC_FAUCET_PER_NETWROK_DAY', meant: 'SVC_FAUCET_PER_NETWORK_DAY' },
    { name: 'LOG_LEVLE', meant: 'LOG_LEVEL' },
    { name: 'SVC_LISSENX', meant: null, nearest: 'SVC_LISTEN' },
    { name: 'PRIVATE_KEYS', meant: 'PRIVATE_KEY' },
    { name: 'PATH', meant: null },
  ])
})
