// Sponsors accounts that hold nothing through a real bundler, says what came of it, and exits 1 when anything failed or a
// process was left over.
import assert from 'node:assert/strict'
import { startDevnet } from '@svc/devnet'
import { startPaymaster } from '@svc/devnet/sponsoring'
import { openSponsoredAccount, registryAbi } from './sponsored-account.mjs'
import { startBundler } from './start-bundler.mjs'

const uri = 'ipfs://bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy'
const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stop.abort(new Error(`stopped by ${signal}`)))

const started = performance.now()
const closers = []
let failures = 0
try {
  const devnet = await startDevnet({ history: false })
  closers.push(() => devnet.stop())
  const paymaster = await startPaymaster({ devnet })
  closers.push(() => paymaster.stop())
  const opening = performance.now()
  const bundler = await startBundler({ devnet, signal: stop.signal })
  closers.push(async () => {
    await bundler.stop()
    await step('the bundler ends and leaves nothing behind', async () => assert.deepEqual(bundler.living(), []))
  })
  console.log(`      the bundler answered after ${((performance.now() - opening) / 1000).toFixed(1)} s`)
  await prove({ devnet, paymaster, bundler })
} catch (error) {
  failures += 1
  console.log(`FAIL  ${(stop.signal.aborted ? stop.signal.reason : error).stack}`)
} finally {
  for (const close of closers.reverse()) await close()
}
const seconds = Math.round((performance.now() - started) / 1000)
console.log(`${failures === 0 ? 'The bundler sponsors what it should' : `${failures} failed`}, ${seconds} s`)
process.exitCode = failures === 0 ? 0 : 1

async function step(name, check) {
  stop.signal.throwIfAborted()
  try {
    await check()
    console.log(`ok    ${name}`)
  } catch (error) {
    failures += 1
    console.log(`FAIL  ${name}\n${error.stack}`)
  }
}

async function prove({ devnet, paymaster, bundler }) {
  const open = async () => await openSponsoredAccount({ devnet, bundlerUrl: bundler.url, paymasterUrl: paymaster.url })
  const registry = { address: devnet.registry.identity, abi: registryAbi }
  const register = { to: registry.address, abi: registryAbi, functionName: 'register', args: [uri] }
  const { owner, client, send } = await open()
  const read = async (functionName, ...args) => await client.readContract({ ...registry, functionName, args })
  const balance = async () => await client.getBalance({ address: owner.address })

  await step('an account that holds nothing registers an agent, owns it, and still holds nothing', async () => {
    assert.equal(await balance(), 0n)
    const receipt = await send([register])
    assert.equal(receipt.success, true)
    assert.equal(receipt.paymaster?.toLowerCase(), devnet.paymaster.toLowerCase())
    assert.equal(await read('ownerOf', 0n), owner.address)
    assert.equal(await balance(), 0n)
    console.log(`      ${receipt.actualGasUsed} gas, the delegation included`)
  })
  await step('two more in one operation, without another delegation', async () => {
    const receipt = await send([register, register])
    assert.equal(receipt.success, true)
    assert.equal(await read('balanceOf', owner.address), 3n)
    assert.equal(await balance(), 0n)
    console.log(`      ${receipt.actualGasUsed} gas`)
  })
  await step('a call that would fail is refused at the estimate', async () => {
    const foreign = { to: registry.address, abi: registryAbi, functionName: 'setAgentURI', args: [99n, uri] }
    await assert.rejects(send([foreign]), /ERC721NonexistentToken/)
  })
  for (const [fault, words] of [
    [{ kind: 'refuse', message: 'over budget' }, /over budget/],
    [{ kind: 'expired' }, /AA32|expired/i],
    [{ kind: 'foreign-signature' }, /AA34|signature/i],
  ]) {
    await step(`a paymaster that answers with "${fault.kind}" leaves everything as it was`, async () => {
      const other = await open()
      paymaster.setFaults([{ fault, methods: ['pm_getPaymasterData'] }])
      await assert.rejects(other.send([register]), words)
      paymaster.setFaults([])
      assert.equal(await read('balanceOf', other.owner.address), 0n)
      assert.equal(await client.getTransactionCount({ address: other.owner.address }), 0)
    })
  }
}
