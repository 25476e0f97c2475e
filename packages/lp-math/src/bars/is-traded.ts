import type { Bars } from './bars.ts'

/** Whether somebody traded in a bar: a price that moved within it was traded at, whatever is said of its inputs. */
export function isTraded({ openTick, closeTick, amount0In, amount1In }: TradedBars, bar: number): boolean {
  return (amount0In[bar] ?? 0) > 0 || (amount1In[bar] ?? 0) > 0 || closeTick[bar] !== openTick[bar]
}

export type TradedBars = Pick<Bars, 'openTick' | 'closeTick' | 'amount0In' | 'amount1In'>
