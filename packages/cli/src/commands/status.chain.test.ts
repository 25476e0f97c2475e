import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { useDevnet } from '@svc/devnet/testing'
import { expect, it } from 'vitest'
import { openDirectory } from '../../../tool-server/src/operator/operations.fixture.ts'
import { callCommand } from '../calls.fixture.ts'
import { devAccounts } from '../../../devnet/src/accounts.ts'

const devnet = useDevnet()

it('shows what a wallet has in pools, where the price stands in each range, and which chain it could not read', async () => {
  const place = await openDirectory([])
  const chainsFile = join(place.dataDir, 'chains.json')
  writeFileSync(chainsFile, JSON.stringify([devnet().chain]))
  const environment = {
    SVC_CHAINS_FILE: chainsFile,
    [`SVC_RPC_URL_${devnet().chainId}`]: devnet().rpcUrl,
    SVC_RPC_URL_8453: 'http://127.0.0.1:9',
  }
  const status = (...words: readonly string[]) =>
    callCommand(['status', '--data-dir', place.dataDir, ...words], environment)
  const [wallet = ''] = devAccounts().roles.providers
  const one = JSON.parse((await status('--json', '--wallet', wallet)).stdout)
  expect(one.positions.unread).toEqual(['base'])
  expect(one.positions.items[0]).toMatchObject({ chain: devnet().chain.name, pair: expect.stringContaining('/') })
  const { stdout } = await status('--wallet', one.positions.owner)
  expect(stdout).toContain(`Positions of ${one.positions.owner}:`)
  expect(stdout).toMatch(/ \[\.*\|\.*\]$| all prices$/m)
  expect(stdout).toContain('Not all is read of: base')
  const none = await status('--positions')
  expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('--wallet ADDRESS')])
  await place.store.close()
})
