import type { Hash, TransactionReceipt } from 'viem'
import { describe, expect, it } from 'vitest'
import { errorTable, ToolError } from '@svc/amm'
import { afterSigning } from './sign-next.ts'
import type { Progress } from '../context/execution-context.ts'
import type { Step } from '../call/step.ts'

const hashes = ['0xa1', '0xb2'] as const satisfies readonly Hash[]

function progress(kinds: readonly Step['kind'][], mined: number): Progress {
  const signed = kinds.map((kind, index) => ({
    step: { kind, label: kind, to: '0x', data: '0x', valueWei: 0n } satisfies Step,
    hash: hashes[index]!,
  }))
  const receipts = signed.slice(0, mined).map(({ step }) => ({ step, receipt: {} as TransactionReceipt }))
  const money = {
    reserved: {
      amountUsdMicros: 0n,
      gasUsdMicros: 0n,
      isGuess: false,
      isExit: false,
      homeUsdMicros: 0n,
      isSureHome: false,
      budgets: [],
    },
    priced: new Map(),
  }
  return {
    signed,
    sent: [],
    mined: receipts,
    after: null,
    ...money,
    isBaseStanding: true,
    planHash: null,
    valid: {} as Progress['valid'],
  }
}

describe('a failure after something was signed', () => {
  it.each([
    ['our own state, approval mined', ['approve'], 1, new ToolError('STORAGE_UNAVAILABLE', 'Full.')],
    ['our own state, approval out', ['approve'], 0, new ToolError('STORAGE_UNAVAILABLE', 'Full.')],
    ['a fault of ours', ['approve', 'call'], 1, new TypeError('oops')],
    ['an endpoint, call out', ['approve', 'call'], 1, new ToolError('RPC_UNAVAILABLE', 'Gone.')],
    ['drift after a mined call', ['call'], 1, new ToolError('SIMULATION_DRIFT', 'Moved.')],
    ['not sent after a mined call', ['call', 'call'], 1, new ToolError('TRANSACTION_NOT_SENT', 'Declined.')],
  ] as const)('is not to be repeated and names the hashes: %s', (_what, kinds, mined, failure) => {
    const reported = afterSigning(progress(kinds, mined), failure)
    expect(reported).toMatchObject({
      code: 'OPERATION_INCOMPLETE',
      cause: failure,
      details: kinds.map((_, index) => ({ txHash: hashes[index] })),
    })
    expect(errorTable.OPERATION_INCOMPLETE.retryable).toBe(false)
  })

  it.each([
    ['drift', ['approve'], 1, 'SIMULATION_DRIFT'],
    ['a pause', ['approve'], 1, 'SERVER_PAUSED'],
    ['a replaced call', ['approve', 'call'], 1, 'TRANSACTION_NOT_SENT'],
  ] as const)('keeps its code where approvals alone were mined: %s', (_what, kinds, mined, code) => {
    const failure = new ToolError(code, 'Stopped.', { details: [{ message: 'one', txHash: hashes[0] }] })
    expect(afterSigning(progress(kinds, mined), failure)).toMatchObject({
      code,
      message: 'Stopped.',
      details: kinds.map((_, index) => ({ txHash: hashes[index] })),
    })
  })

  it('names the transactions that took allowances back, too', () => {
    const failure = new ToolError('SIMULATION_DRIFT', 'Moved.')
    const txHash = '0xc3'
    const revoked = [{ transactionHash: txHash } as const]
    expect(afterSigning(progress(['approve'], 1), failure, revoked)).toMatchObject({
      code: 'SIMULATION_DRIFT',
      details: [{ txHash: hashes[0] }, { message: 'take back an allowance', txHash }],
    })
  })

  it('keeps its code where the last bytes were declined and approvals alone were mined, and not where they are unnamed', () => {
    const details = [{ message: 'declined', txHash: hashes[1] }]
    const declined = new ToolError('OPERATION_IN_DOUBT', 'Declined.', { details })
    expect(afterSigning(progress(['approve', 'call'], 1), declined)).toMatchObject({ code: 'OPERATION_IN_DOUBT' })
    expect(afterSigning(progress(['call', 'call'], 1), declined)).toMatchObject({ code: 'OPERATION_INCOMPLETE' })
    const unnamed = new ToolError('OPERATION_IN_DOUBT', 'Declined.')
    expect(afterSigning(progress(['approve', 'call'], 1), unnamed)).toMatchObject({ code: 'OPERATION_INCOMPLETE' })
  })

  it('stays as it is when it speaks of the transactions itself, or nothing was signed', () => {
    for (const code of ['TRANSACTION_REVERTED', 'TRANSACTION_PENDING'] as const) {
      const failure = new ToolError(code, 'Out.')
      expect(afterSigning(progress(['call'], 0), failure)).toBe(failure)
    }
    const failure = new ToolError('STORAGE_UNAVAILABLE', 'Full.')
    expect(afterSigning(progress([], 0), failure)).toBe(failure)
  })
})
