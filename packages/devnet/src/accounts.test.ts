import { pbkdf2Sync } from 'node:crypto'
import { toHex } from 'viem'
import { HDKey, hdKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { accountCount, devAccounts } from './accounts.ts'

const mnemonic = 'test test test test test test test test test test test junk'

test('the accounts are those of the mnemonic that anvil unlocks, in its order', () => {
  const { testAccounts, roles, sponsors } = devAccounts()
  const signing = [...testAccounts, ...Object.values(sponsors)]
  const named = [roles.deployer, roles.bank, ...roles.providers, ...roles.traders]
  const root = HDKey.fromMasterSeed(pbkdf2Sync(mnemonic, 'mnemonic', 2_048, 64, 'sha512'))
  const derived = Array.from({ length: accountCount + 3 }, (_, addressIndex) => {
    const account = hdKeyToAccount(root, { addressIndex })
    return { address: account.address, privateKey: toHex(account.getHdKey().privateKey ?? new Uint8Array()) }
  })
  const [own, between, last] = [derived.slice(0, 10), derived.slice(10, accountCount), derived.slice(accountCount)]
  expect(signing).toEqual([...own, ...last])
  expect(named).toEqual(between.map(({ address }) => address))
})
