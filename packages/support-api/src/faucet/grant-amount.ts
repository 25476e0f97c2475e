import { formatEther } from 'viem'
import { grantWei } from './grant-wei.ts'

/** What one wallet gets, in whole units of the native currency. */
export const grantAmount = formatEther(grantWei)
