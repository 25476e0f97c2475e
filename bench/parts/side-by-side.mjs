// The same state of the local chain for several ways to the same end: what they cost can then be held against each other to the unit.
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Prepares a wallet in a world of `trading` and goes each way from there, the chain, the market and the wallet's own state brought back
 * in between. A way is given the world, what was prepared and what the ways before it came to.
 */
export async function sideBySide({ devnet, trading, ownPolicy }, prepare, ways) {
  const policy = { ...ownPolicy(devnet), limitsUsd: wide }
  const restoreStart = await devnet.checkpoint()
  const folders = []
  try {
    const world = await trading.open({ policy })
    const prepared = await prepare(trading, world)
    const { dataDir, privateKey } = world.again
    folders.push(dataDir)
    await trading.closeWorlds()
    const outcomes = []
    for (const way of ways) {
      const restore = await devnet.checkpoint()
      const copy = await mkdtemp(join(tmpdir(), 'svc-bench-'))
      folders.push(copy)
      await copyClosed(dataDir, copy)
      const again = await trading.open({ policy, again: { dataDir: copy, privateKey } })
      // A pool writes an observation where a second has passed since the last.
      await devnet.mineTo(Math.floor(Date.now() / 1_000) + 2)
      outcomes.push(await way(again, prepared, outcomes))
      await trading.closeWorlds()
      await restore()
    }
    return outcomes
  } finally {
    await trading.closeWorlds()
    await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })))
    await restoreStart()
  }
}

const wide = { perTransaction: '1000000', perSession: '1000000', daily: '1000000' }

/** The store's helper files go away a moment after it was closed, and may do so while they are copied. */
async function copyClosed(from, to) {
  for (let tries = 1; ; tries += 1) {
    try {
      return await cp(from, to, { recursive: true })
    } catch (error) {
      if (error.code !== 'ENOENT' || tries === 5) throw error
    }
  }
}

/** Gas of transactions, each counted once. */
export async function gasOf({ client }, hashes) {
  const receipts = await Promise.all([...new Set(hashes)].map((hash) => client.getTransactionReceipt({ hash })))
  for (const { status, transactionHash } of receipts) {
    if (status !== 'success') throw new Error(`the transaction ${transactionHash} reverted`)
  }
  return receipts.reduce((sum, { gasUsed }) => sum + Number(gasUsed), 0)
}
