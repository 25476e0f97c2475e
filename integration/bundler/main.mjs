// Wallets that hold nothing register agents and send calls through a real bundler, by the product's own functions, and the tool server
// compounds fees and registers through it. Says what came of it, and exits 1 when anything failed or a process was left over.
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { startDevnet } from '@svc/devnet'
import { startPaymaster } from '@svc/devnet/sponsoring'
import { createPublicClient, encodeFunctionData, erc20Abi, http, parseUnits } from 'viem'
import { openToolServer } from './open-tool-server.mjs'
import { openSponsoredWallet, registryAbi } from './sponsored-wallet.mjs'
import { startBundler } from './start-bundler.mjs'

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
  await proveTools({ devnet, paymaster, bundler })
} catch (error) {
  failures += 1
  console.log(`FAIL  ${(stop.signal.aborted ? stop.signal.reason : error).stack}`)
} finally {
  for (const close of closers.reverse()) await close()
}
const seconds = Math.round((performance.now() - started) / 1000)
console.log(`${failures === 0 ? 'Wallets are sponsored as they should be' : `${failures} failed`}, ${seconds} s`)
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
  const open = () => openSponsoredWallet({ devnet, bundlerUrl: bundler.url, paymasterUrl: paymaster.url })
  const ada = open()
  const { address } = ada.wallet
  const encode = (functionName, args) => encodeFunctionData({ abi: registryAbi, functionName, args })
  const foreign = encode('setAgentURI', [99n, 'ipfs://none'])

  await step('a wallet that holds nothing registers an agent, owns it, and still holds nothing', async () => {
    const { status, gasTier, agentURI, tokenId, steps, warnings } = await ada.register('Ada')
    assert.deepEqual([status, gasTier], ['registered', 'sponsored'])
    assert.equal(await ada.read('ownerOf', BigInt(tokenId)), address)
    assert.equal(await ada.read('tokenURI', BigInt(tokenId)), agentURI)
    assert.ok(steps.includes('delegate') && /delegated to 0x\w{40} \(EIP-7702\)/.test(warnings.join(' ')))
    assert.equal(await ada.balance(), 0n)
  })
  await step('the same wallet once more finds that agent and sends nothing', async () => {
    const { alreadyRegistered, gasTier } = await ada.register('Ada')
    assert.deepEqual([alreadyRegistered, gasTier], [true, null])
    assert.equal(await ada.read('balanceOf', address), 1n)
  })
  await step('a second agent when it is forced, without another delegation', async () => {
    const { status, gasTier, steps } = await ada.register('Ada', { force: true })
    assert.deepEqual([status, gasTier, steps.includes('delegate')], ['registered', 'sponsored', false])
    assert.equal(await ada.read('balanceOf', address), 2n)
  })
  await step('sendUserOp of any call', async () => {
    const { status, logs } = await ada.send(encode('register'))
    assert.equal(status, 'mined')
    assert.ok(logs.length > 0)
    assert.equal(await ada.read('balanceOf', address), 3n)
    assert.equal(await ada.balance(), 0n)
  })
  await step('a call that would revert is refused and nothing is sent', async () => {
    await assert.rejects(ada.send(foreign), { code: 'USER_OPERATION_REVERTED' })
    assert.equal(await ada.read('balanceOf', address), 3n)
  })
  await step('two calls of wallet_sendCalls happen together', async () => {
    const { status, receipts, atomic } = await sendCalls(devnet, ada, [encode('register'), encode('register')])
    assert.deepEqual([status, receipts.length, atomic], [200, 1, true])
    assert.equal(await ada.read('balanceOf', address), 5n)
  })
  await step('two calls of which one would revert do not happen', async () => {
    await assert.rejects(sendCalls(devnet, ada, [encode('register'), foreign]))
    assert.equal(await ada.read('balanceOf', address), 5n)
  })
  for (const fault of [
    { kind: 'refuse', message: 'over budget' },
    { kind: 'expired' },
    { kind: 'foreign-signature' },
  ]) {
    await step(`a paymaster that answers with "${fault.kind}" leaves everything as it was`, async () => {
      const other = open()
      paymaster.setFaults([{ fault, methods: ['pm_getPaymasterData'] }])
      const { status, attempts, fund } = await other.register('Grace')
      paymaster.setFaults([])
      assert.equal(status, 'deferred')
      assert.equal(attempts.find(({ tier }) => tier === 'sponsored')?.code, 'PAYMASTER_REFUSED')
      assert.equal(fund.address, other.wallet.address)
      assert.equal(await other.read('balanceOf', other.wallet.address), 0n)
      assert.equal(await other.transactionCount(), 0)
    })
  }
}

/** What the tool server does through the bundler, held against the chain wei for wei. */
async function proveTools({ devnet, paymaster, bundler }) {
  const server = await openToolServer({ devnet, bundlerUrl: bundler.url, paymasterUrl: paymaster.url })
  closers.push(() => server.close())
  const client = createPublicClient({ transport: http(devnet.rpcUrl), cacheTime: 0 })
  const tokens = ['WETH', 'USDC'].map((symbol) => devnet.tokens.find((token) => token.symbol === symbol))
  const holds = () =>
    Promise.all([
      client.getBalance({ address: server.wallet }),
      ...tokens.map(({ address }) =>
        client.readContract({ address, abi: erc20Abi, functionName: 'balanceOf', args: [server.wallet] }),
      ),
    ])
  for (const version of ['v3', 'v4']) {
    await step(`compound_fees swaps and adds to a ${version} position by one user operation, wei for wei`, async () => {
      const range = { token0: 'WETH', token1: 'USDC', amount0: '3', fee: 500, rangeStrategy: 'medium', version }
      const { positionId, pool } = await server.call('add_liquidity', range)
      await devnet.trade(20, 3, [pool.poolAddress])
      await devnet.trade(1, 5, [pool.poolAddress])
      const before = await server.call('get_position', { positionId, version })
      const balances = await holds()
      const done = await server.call('compound_fees', { positionId, version })
      const after = await server.call('get_position', { positionId, version })
      const [gas, ...left] = (await holds()).map((now, index) => now - balances[index])
      const { reinvested, feesCollected, atomicity, gasCostUsd, transactions, newLiquidity } = done
      assert.deepEqual([atomicity, gasCostUsd, transactions, gas], ['user-operation', 0, [done.txHash], 0n])
      assert.equal(BigInt(after.liquidityRaw) - BigInt(before.liquidityRaw), BigInt(newLiquidity))
      const [, paid, symbol, got] = /^([\d.]+) (\w+) for ([\d.]+) \w+ through/.exec(reinvested.swapDetails)
      const isFirst = BigInt(tokens[0].address) < BigInt(tokens[1].address)
      for (const [nth, { symbol: own, decimals }] of tokens.entries()) {
        const index = isFirst ? nth : 1 - nth
        const units = (amount) => parseUnits(amount, decimals)
        const swapped = symbol === own ? -units(paid) : units(got)
        const [collected, added] = [feesCollected, reinvested].map((of) => units(of[`amount${index}`]))
        const difference = collected + swapped - added - left[nth]
        // What a v4 deposit takes is known by its price, to the unit.
        assert.ok(version === 'v4' ? difference >= -2n && difference <= 2n : difference === 0n, `${own}: ${difference}`)
      }
    })
  }
  await step('register_agent is paid for by the paymaster', async () => {
    const [before] = await holds()
    const { atomicity, gasCostUsd, owner, tokenId } = await server.call('register_agent', {
      role: 'vault_manager',
      name: 'Ada',
    })
    assert.deepEqual([atomicity, gasCostUsd], ['user-operation', 0])
    const args = [BigInt(tokenId)]
    const asked = { address: devnet.registry.identity, abi: registryAbi, functionName: 'ownerOf', args }
    assert.deepEqual([await client.readContract(asked), owner], [server.wallet, server.wallet])
    assert.equal((await holds())[0], before)
  })
}

/** Sends calls to the registry as one batch, and gives its status once it has one. */
async function sendCalls({ chainId, registry }, { wallet, provider }, batch) {
  const calls = batch.map((data) => ({ to: registry.identity, data }))
  const wanted = {
    version: '2.0.0',
    from: wallet.address,
    chainId: `0x${chainId.toString(16)}`,
    atomicRequired: true,
    calls,
  }
  const { id } = await provider.request({ method: 'wallet_sendCalls', params: [wanted] })
  const deadline = performance.now() + 30_000
  for (;;) {
    const answer = await provider.request({ method: 'wallet_getCallsStatus', params: [id] })
    if (answer.status !== 100) return answer
    if (performance.now() > deadline) throw new Error('the batch did not end in time')
    await sleep(50)
  }
}
