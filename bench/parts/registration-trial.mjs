// One trial: a registration whose process is killed, the same call again from the same folder until it ends, and what must
// hold afterwards between result, folder, chain and services.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createFileJournal, createFileRegistrationRecords } from '@svc/wallet'
import { parseAbi, parseEventLogs } from 'viem'
import { startRegistrar } from './registrar.mjs'
import { kinds, prepareTrial } from './registration-kinds.mjs'

/** Runs a trial in `lane.registrar` (started when there is none) and leaves the process that ended it for the next. */
export async function runTrial(world, lane, { kind, name, point, killAtStart = null }) {
  const folder = join(world.root, name)
  mkdirSync(folder, { mode: 0o700 })
  const trial = await prepareTrial(world, kind, folder, name)
  const heard = []
  const deadline = performance.now() + longestMs
  let kills = 0
  let last = null
  const call = async (at) => {
    lane.registrar ??= await startRegistrar()
    last = await lane.registrar.register(trial, at)
    const answer = last.wasKilled ? 'killed' : (last.error?.code ?? last.result.status)
    if (last.wasKilled || answer !== heard.at(-1)) heard.push(answer)
    if (!last.wasKilled) return
    kills += 1
    lane.registrar = null
  }
  await call(point)
  if (last.wasKilled && killAtStart !== null) await call(killAtStart)
  while (last.result?.status !== 'registered' && performance.now() < deadline) {
    if (!last.wasKilled) await sleep(250)
    await call(null)
  }
  const { result = null, error = null, points = [] } = last
  const problems = { twice: [], lost: [], gaps: [], other: [] }
  if (result?.status === 'registered') await check(world, trial, result, problems)
  else problems.lost.push(`it came to no end: ${JSON.stringify(error ?? result?.status)}`)
  return { kills, points, heard, problems }
}

const longestMs = 60_000

const abi = parseAbi([
  'function balanceOf(address owner) view returns (uint256)',
  'function ownerOf(uint256 id) view returns (address)',
  'function tokenURI(uint256 id) view returns (string)',
  'event Transfer(address indexed from, address indexed to, uint256 indexed id)',
  'event UserOperationEvent(bytes32 indexed hash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 cost, uint256 gas)',
])

async function check(world, trial, result, problems) {
  await checkIdentity(world, trial, result, problems)
  await checkNonces(world, trial, result, problems)
  await checkServices(world, trial, problems)
  const { method, gasTiers } = kinds[trial.kind]
  const { registrationMethod, gasTier, alreadyRegistered } = result
  if (registrationMethod !== method) problems.other.push(`it was registered by ${registrationMethod}`)
  if (!alreadyRegistered && !gasTiers.includes(gasTier)) problems.other.push(`gas was paid by ${gasTier}`)
}

async function checkIdentity({ chain, devnet, services }, { owner, name, kind }, result, problems) {
  const address = devnet.registry.identity
  const read = (functionName, args) => chain.readContract({ address, abi, functionName, args })
  const [count, holder, uri, { logs }] = await Promise.all([
    read('balanceOf', [owner]),
    read('ownerOf', [BigInt(result.tokenId)]),
    read('tokenURI', [BigInt(result.tokenId)]),
    chain.getTransactionReceipt({ hash: result.txHash }),
  ])
  const minted = parseEventLogs({ abi, eventName: 'Transfer', logs }).filter(({ args }) => args.to === owner)
  if (count > 1n) problems.twice.push(`${count} identities`)
  if (count === 0n) problems.lost.push('no identity')
  if (holder !== owner || uri !== result.agentURI) problems.lost.push(`agent ${result.agentId} is another one`)
  if (result.agentId !== `${devnet.chainId}:${result.tokenId}`) problems.lost.push(`it is called ${result.agentId}`)
  if (minted.length !== 1 || `${minted[0].args.id}` !== result.tokenId) {
    problems.lost.push(`${result.txHash} does not register ${result.agentId}`)
  }
  if (kinds[kind].ipfsMode === 'inline' ? !uri.startsWith('data:') : uri !== `ipfs://${services.pinned(name)[0]}`) {
    problems.other.push(`the URI is ${uri}`)
  }
}

/** One nonce is used in every kind: by the transaction, or by the authorization of the account that an operation needs. */
async function checkNonces({ chain, devnet }, { owner, folder, kind }, { txHash }, problems) {
  const journal = createFileJournal(join(folder, 'journal.jsonl'))
  try {
    const [nonce, withPool] = await Promise.all([
      chain.getTransactionCount({ address: owner }),
      chain.getTransactionCount({ address: owner, blockTag: 'pending' }),
    ])
    if (nonce !== 1) problems.gaps.push(`${nonce} nonces are used`)
    if (withPool !== nonce) problems.gaps.push('the pool waits for a nonce')
    const open = await journal.open(devnet.chainId, owner)
    if (open.length > 0) problems.lost.push(`${open.length} transactions are open in the journal`)
    const entries = await journal.byNonce(devnet.chainId, owner, 0)
    const wanted = kinds[kind].gas === 'sponsored' ? [] : [`${txHash} final`]
    const held = entries.map(({ hash, state }) => `${hash} ${state}`)
    if (held.join() !== wanted.join()) problems.gaps.push(`the journal holds ${held.join(', ') || 'nothing'}`)
  } finally {
    await journal.close()
  }
  const records = createFileRegistrationRecords(join(folder, 'registrations.json'))
  const record = await records.find(devnet.chainId, devnet.registry.identity, owner)
  if (record?.state !== 'registered') problems.lost.push(`the record says ${record?.state}`)
}

async function checkServices({ chain, devnet, services }, { owner, name, kind }, problems) {
  const { ipfsMode, gas, funds } = kinds[kind]
  const pins = services.pinned(name).length
  if (pins !== (ipfsMode === 'proxy' ? 1 : 0)) problems.twice.push(`${pins} files are pinned`)
  if (services.isGranted(owner) !== (gas === 'faucet')) problems.other.push('the faucet gave what nobody needed')
  const operations = await chain.getContractEvents({
    address: devnet.entryPoint,
    abi,
    eventName: 'UserOperationEvent',
    args: { sender: owner },
    fromBlock: 0n,
  })
  if (operations.length > 1) problems.twice.push(`${operations.length} operations were executed`)
  if (gas === 'sponsored') {
    const spent = BigInt(funds) * 10n ** 18n - (await chain.getBalance({ address: owner }))
    if (operations.length !== 1 || spent !== 0n) problems.other.push(`the wallet paid ${spent} wei itself`)
  }
}
