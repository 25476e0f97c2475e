import { basename } from 'node:path'
import {
  type Address,
  concat,
  encodeDeployData,
  encodeFunctionData,
  type Hex,
  keccak256,
  pad,
  parseAbi,
  stringToHex,
  toHex,
  zeroAddress,
  zeroHash,
} from 'viem'
import { initCode, initCodeConstant } from '../artifacts.ts'
import type { Call } from './block-writer.ts'
import type { ChainClient } from './chain-client.ts'
import {
  arbitrageur,
  batchDelegate,
  feeOnTransferToken,
  handleRegistry,
  identityRegistry,
  priceFeed,
  rewardDistributor,
  verifyingPaymaster,
} from '../contracts.gen.ts'
import {
  feedDecimals,
  hostileName,
  hostileSymbol,
  type TokenSpec,
  tokenSpecs,
  transferFeeBps,
} from '../seed/token-specs.ts'
import {
  type AgentContractName,
  agentContractOrder,
  type ContractName,
  contractOrder,
  create2Factory,
  crossChainSettlerInitCode,
  entryPointAddress,
  type FeedName,
  feedOrder,
  type Layout,
  multicall3Address,
  orderReactorInitCode,
  pairInitCodeHash,
  permit2Address,
  poolInitCodeHash,
  twammHookSalt,
  twammInitCode,
} from '../seed/layout.ts'
import { deployVaultCalls } from '../seed/vaults.ts'

/**
 * The deployment of every contract and token, in the layout's order, from the publishers' own artifacts. Throws when
 * the packaged pools are not the canonical ones.
 */
export function deploymentCalls(layout: Layout): readonly Call[] {
  assertCanonicalPools()
  const { deployer, bank } = layout.roles
  const deploy = (what: string, data: Hex): Call => ({ from: deployer, data, gas: 6_500_000n, what: `deploy ${what}` })
  const recipes = contractRecipes(layout)
  const contracts = contractOrder.map((name) => deploy(name, assemble(recipes[name])))
  const tokens = tokenSpecs
    .filter((token) => token.kind !== 'weth9')
    .map((token) => deploy(token.symbol, tokenInitCode(token, bank)))
  const agentRecipes = agentContractRecipes(layout)
  const agents = agentContractOrder.map((name) => deploy(name, assemble(agentRecipes[name])))
  const feeds = feedOrder.map((name): Call => ({
    from: deployer,
    data: feedInitCode(name, deployer),
    gas: 1_000_000n,
    what: `deploy feed ${name}`,
  }))
  const rewards = deploy('RewardDistributor', encodeDeployData({ ...rewardDistributor, args: [deployer] }))
  const canonical = (what: string, salt: Hex, code: Hex, gas: bigint): Call => ({
    from: bank,
    to: create2Factory,
    data: concat([salt, code]),
    gas,
    what: `deploy ${what}`,
  })
  const permit2 = canonical('permit2', permit2Salt, permit2InitCode(), 4_000_000n)
  const entryPoint = canonical('EntryPoint', entryPointSalt, accountAbstraction('EntryPoint'), 6_500_000n)
  const account = canonical('Simple7702Account', zeroHash, accountAbstraction('Simple7702Account'), 1_200_000n)
  const twamm = canonical('the TWAMM hook', twammHookSalt, twammInitCode(layout.contracts), 4_000_000n)
  const reactor = canonical('the order reactor', zeroHash, orderReactorInitCode(layout.roles), 4_000_000n)
  const settler = canonical('the settler', zeroHash, crossChainSettlerInitCode(layout.roles), 3_000_000n)
  const batches = canonical('BatchDelegate', zeroHash, batchDelegate.bytecode, 1_200_000n)
  const deposit: Call = {
    from: bank,
    to: entryPointAddress,
    data: encodeFunctionData({
      abi: parseAbi(['function depositTo(address account) payable']),
      args: [layout.agents.paymaster],
    }),
    value: paymasterDepositWei,
    gas: 100_000n,
    what: 'deposit what the paymaster pays with',
  }
  const enableLowestFee: Call = {
    from: deployer,
    to: layout.contracts.v3Factory,
    data: encodeFunctionData({
      abi: parseAbi(['function enableFeeAmount(uint24 fee, int24 tickSpacing)']),
      args: [100, 1],
    }),
    gas: 100_000n,
    what: 'enable the 0.01 % fee',
  }
  const afterAll = [rewards, ...deployVaultCalls(layout), twamm, deposit, enableLowestFee, batches, reactor, settler]
  return [permit2, entryPoint, account, ...contracts, ...tokens, ...agents, ...feeds, ...afterAll]
}

/** Multicall3 cannot be redeployed at its address (its deployer's nonce is spent), so its code is put there. */
export async function placeMulticall3(client: ChainClient): Promise<void> {
  const data = initCodeConstant('viem', '_esm/constants/contracts.js', 'multicall3Bytecode')
  const { data: bytecode } = await client.call({ data })
  if (!bytecode) throw new Error('Multicall3 returned no code')
  await client.setCode({ address: multicall3Address, bytecode })
}

const permit2Salt: Hex = '0x0000000000000000000000000000000000000000d3af2663da51c10215000000'
/** With these salts the published init code lands where it stands on public chains (ERC-4337, release 0.8). */
const entryPointSalt: Hex = '0x0a59dbff790c23c976a548690c27297883cc66b4c67024f9117b0238995e35e9'

/** Ten ether: thousands of registrations. */
const paymasterDepositWei = 10n * 10n ** 18n

function permit2InitCode(): Hex {
  return initCodeConstant('@uniswap/uniswapx-sdk', 'dist/cjs/src/contracts/factories/Permit2__factory.js', '_bytecode')
}

function assertCanonicalPools(): void {
  const pair = keccak256(initCode('@uniswap/v2-core', 'build/UniswapV2Pair.json'))
  const pool = keccak256(v3Core('UniswapV3Pool'))
  if (pair !== pairInitCodeHash) throw new Error(`The packaged v2 pair is not the canonical one: its hash is ${pair}`)
  if (pool !== poolInitCodeHash) throw new Error(`The packaged v3 pool is not the canonical one: its hash is ${pool}`)
}

function tokenInitCode(token: TokenSpec, minter: Address): Hex {
  if (token.kind === 'fee-on-transfer') {
    return encodeDeployData({ ...feeOnTransferToken, args: [token.name, token.symbol, BigInt(transferFeeBps), minter] })
  }
  const [name, symbol] = token.kind === 'hostile' ? [hostileName, hostileSymbol] : [token.name, token.symbol]
  const abi = parseAbi(['constructor(string name, string symbol, uint8 decimals)'])
  return encodeDeployData({
    abi,
    bytecode: v4Periphery('MockERC20'),
    args: [name, symbol, token.decimals],
  })
}

function feedInitCode(name: FeedName, feeder: Address): Hex {
  const args: readonly [number, string, Address] =
    name === 'sequencer' ? [0, 'L2 Sequencer Uptime Status Feed', feeder] : [feedDecimals, `${name} / USD`, feeder]
  return encodeDeployData({ ...priceFeed, args })
}

/** Init code, then the constructor's arguments, all of them static words. */
type Recipe = readonly [Hex, ...(Hex | bigint)[]]

function assemble([code, ...words]: Recipe): Hex {
  return concat([code, ...words.map((word) => pad(typeof word === 'bigint' ? toHex(word) : word, { size: 32 }))])
}

function contractRecipes({ contracts, roles }: Layout): Readonly<Record<ContractName, Recipe>> {
  const { weth9, v2Factory, v3Factory, poolManager, v3PositionManager, v4PositionManager } = contracts
  const label = pad(stringToHex('ETH'), { dir: 'right', size: 32 })
  return {
    weth9: [v2Periphery('WETH9')],
    v2Factory: [initCode('@uniswap/v2-core', 'build/UniswapV2Factory.json'), roles.deployer],
    v2Router: [v2Periphery('UniswapV2Router02'), v2Factory, weth9],
    v3Factory: [v3Core('UniswapV3Factory')],
    nftDescriptor: [v3Periphery('libraries/NFTDescriptor.sol')],
    v3PositionDescriptor: [
      link(v3Periphery('NonfungibleTokenPositionDescriptor.sol'), contracts.nftDescriptor),
      weth9,
      label,
    ],
    v3PositionManager: [
      v3Periphery('NonfungiblePositionManager.sol'),
      v3Factory,
      weth9,
      contracts.v3PositionDescriptor,
    ],
    swapRouter02: [swapRouter02(), v2Factory, v3Factory, v3PositionManager, weth9],
    quoterV2: [v3Periphery('lens/QuoterV2.sol'), v3Factory, weth9],
    tickLens: [v3Periphery('lens/TickLens.sol')],
    poolManager: [initCode('@uniswap/v4-core', 'out/PoolManager.sol/PoolManager.json'), roles.deployer],
    stateView: [v4Periphery('StateView'), poolManager],
    v4Quoter: [v4Periphery('V4Quoter'), poolManager],
    v4PositionDescriptor: [v4Periphery('PositionDescriptor'), poolManager, weth9, label],
    v4PositionManager: [
      v4Periphery('PositionManager'),
      poolManager,
      permit2Address,
      unsubscribeGasLimit,
      contracts.v4PositionDescriptor,
      weth9,
    ],
    universalRouter: [
      initCode('@uniswap/universal-router', artifactFile('UniversalRouter.sol')),
      permit2Address,
      weth9,
      v2Factory,
      v3Factory,
      pairInitCodeHash,
      poolInitCodeHash,
      poolManager,
      v3PositionManager,
      v4PositionManager,
      zeroAddress,
    ],
    arbitrageur: [arbitrageur.bytecode, poolManager],
  }
}

function agentContractRecipes({ sponsors }: Layout): Readonly<Record<AgentContractName, Recipe>> {
  return {
    identityRegistry: [identityRegistry.bytecode],
    handleRegistry: [handleRegistry.bytecode],
    paymaster: [verifyingPaymaster.bytecode, entryPointAddress, sponsors.paymasterSigner.address],
  }
}

/** Gas that an unsubscribing position leaves to its subscriber, as on Ethereum. */
const unsubscribeGasLimit = 300_000n

/** Puts the address of the one library into unlinked init code. */
function link(code: Hex, library: Address): Hex {
  return code.replace(/__\$[0-9a-f]{34}\$__/g, library.slice(2).toLowerCase()) as Hex
}

const artifactFile = (path: string) => `artifacts/contracts/${path}/${basename(path, '.sol')}.json`
const accountAbstraction = (name: string) => initCode('@account-abstraction/contracts', `artifacts/${name}.json`)
const v2Periphery = (name: string) => initCode('@uniswap/v2-periphery', `build/${name}.json`)
const v3Core = (name: string) => initCode('@uniswap/v3-core', artifactFile(`${name}.sol`))
const v3Periphery = (path: string) => initCode('@uniswap/v3-periphery', artifactFile(path))
const v4Periphery = (name: string) => initCode('@uniswap/v4-periphery', `foundry-out/${name}.sol/${name}.json`)
const swapRouter02 = () => initCode('@uniswap/swap-router-contracts', artifactFile('SwapRouter02.sol'))
