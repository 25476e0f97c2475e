import { awaitReceipt, type Devnet } from '@svc/devnet'
import { agentVault, feeOnTransferToken, hookedToken, oddVault } from '@svc/devnet/testing'
import {
  type Abi,
  type Address,
  createPublicClient,
  encodeDeployData,
  encodeFunctionData,
  getAddress,
  type Hex,
  http,
  maxUint256,
  parseAbi,
  parseUnits,
  zeroAddress,
} from 'viem'

/** Deploys vaults and tokens on a local chain, and calls them, as one of its accounts. */
export function openVaultWorld({ rpcUrl, accounts, tokens }: Devnet, index = 5) {
  const client = createPublicClient({ transport: http(rpcUrl) })
  const from = accounts[index]!.address

  async function send(transaction: { readonly to?: Address; readonly data: Hex; readonly from?: Address }) {
    const sent = await client.request<SendTransaction>({
      method: 'eth_sendTransaction',
      params: [{ from, gas: '0x7a1200', ...transaction }],
    })
    const receipt = await awaitReceipt(client, sent)
    if (receipt.status !== 'success') throw new Error(`${transaction.data.slice(0, 10)} reverted`)
    return receipt
  }

  async function deploy(contract: { readonly abi: Abi; readonly bytecode: Hex }, args: readonly unknown[]) {
    const { contractAddress } = await send({ data: encodeDeployData({ ...contract, args }) })
    return getAddress(contractAddress!)
  }

  const token = (symbol: string) => tokens.find((one) => one.symbol === symbol)!.address
  const call = async (to: Address, signature: string, args: readonly unknown[], by = from) => {
    const data = encodeFunctionData({ abi: parseAbi([signature]) as Abi, args })
    return await send({ to, data, from: by })
  }
  return {
    account: from,
    call,
    /** A token that anybody mints; a thousand whole ones lie in the account. */
    async token(name: string, decimals: number, symbol = name): Promise<Address> {
      const address = await deploy(hookedToken, [name, symbol, decimals])
      await call(address, 'function mint(address to, uint256 value)', [from, parseUnits('1000', decimals)])
      return address
    },
    /** A token of eighteen decimals that keeps a part of each transfer; a thousand whole ones lie in the account. */
    async feeToken(name: string, feeBps: bigint): Promise<Address> {
      const address = await deploy(feeOnTransferToken, [name, name, feeBps, from])
      await call(address, 'function mint(address to, uint256 value)', [from, parseUnits('1000', 18)])
      return address
    },
    agentVault: (asset: string, cap = maxUint256, manager = from) =>
      deploy(agentVault, [asset.startsWith('0x') ? asset : token(asset), 'Test vault', 'tVAULT', manager, cap]),
    /** A vault without protection of an asset, by symbol or address. */
    oddVault: (asset: string, name = 'Odd vault') =>
      deploy(oddVault, [asset.startsWith('0x') ? asset : token(asset), name]),
    async setOddity(vault: Address, oddity: Partial<Oddity>) {
      const data = encodeFunctionData({
        abi: oddVault.abi,
        functionName: 'setOddity',
        args: [{ ...sound, ...oddity }],
      })
      await send({ to: vault, data })
    },
    async deposit(vault: Address, asset: Address, units: bigint, by = from) {
      await call(asset, 'function approve(address spender, uint256 value)', [vault, units], by)
      await call(vault, 'function deposit(uint256 assets, address receiver)', [units, by], by)
    },
    transfer: (asset: Address, to: Address, units: bigint) =>
      call(asset, 'function transfer(address to, uint256 value)', [to, units]),
  }
}

type Oddity = typeof sound

const sound = {
  depositFeeBps: 0n,
  redeemFeeBps: 0n,
  previewBps: 10_000n,
  mintBps: 10_000n,
  isClosed: false,
  isAsync: false,
  falseTotal: 0n,
  falseDecimals: 0,
  falseMaxDeposit: 0n,
  falseAsset: zeroAddress as Address,
  refusal: '',
}

type SendTransaction = {
  readonly Method: 'eth_sendTransaction'
  readonly Parameters: readonly unknown[]
  readonly ReturnType: Hex
}
