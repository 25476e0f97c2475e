import { printable } from '@svc/runtime'
import type { SetupReport } from '../tool-context.ts'
import type { HeldPosition, HeldPositions } from './held-positions.ts'
import { html, type Html } from './html.ts'

/** What chains and endpoints are asked for, so the page asks for it once in a while: what the wallet has in pools, and whether all is well. */
export function chainsView({ held, asked, setup }: ChainsShown): Html {
  return html`<section aria-labelledby="positions">
      <h2 id="positions">Positions</h2>
      ${positionsView(held, asked)}
    </section>
    <section aria-labelledby="health">
      <h2 id="health">Health</h2>
      ${healthView(setup)}
    </section>`
}

export type ChainsShown = {
  readonly held: HeldPositions
  /** Names of the chains that were asked for them. */
  readonly asked: readonly string[]
  readonly setup: SetupReport
}

function positionsView({ owner, items, unread }: HeldPositions, asked: readonly string[]): Html {
  const where = asked.length === 0 ? 'no chain: the settings name no endpoint' : asked.join(', ')
  return html`<p class="by">Of <code>${owner}</code>, on ${where}</p>
    ${
      items.length === 0
        ? html`<p>None.</p>`
        : html`<ul class="positions">
            ${items.map(positionView)}
          </ul>`
    }
    ${unread.length === 0 ? null : html`<p class="stop">Not all is read of: ${unread.join(', ')}</p>`}`
}

/** A symbol is a stranger's text. */
function positionView(one: HeldPosition, index: number): Html {
  const { chain, version, positionId, pair, amount0, amount1, place } = one
  const id = `place-${index}`
  return html`<li>
    <strong>${printable(pair, 80)}</strong>
    <small>${version} on ${chain}, <code>${printable(positionId, 80)}</code></small>
    <span class="amount">${amount0} and ${amount1}</span>
    ${
      place === null
        ? html`<span class="by">at all prices</span>`
        : html`<span class="gauge">
            <label for="${id}">${placeText(place)}</label>
            <meter id="${id}" min="0" max="1" value="${Math.min(1, Math.max(0, place))}"></meter>
          </span>`
    }
  </li>`
}

function placeText(place: number): string {
  if (place < 0) return 'Out of range, below'
  if (place >= 1) return 'Out of range, above'
  return `In range, ${Math.floor(place * 100)} % of the way up`
}

function healthView({ version, checks }: SetupReport): Html {
  const troubles = checks.filter(({ status }) => status !== 'pass')
  const passed = checks.length - troubles.length
  return html`<p class="by">Version ${version}. ${passed} of ${checks.length} checks pass.</p>
    ${
      troubles.length === 0
        ? null
        : html`<ul class="warnings">
            ${troubles.map(
              ({ id, status, message, fix }) =>
                html`<li><strong>${status === 'fail' ? 'Broken' : 'To look at'}: ${id}</strong> ${message} ${fix}</li>`,
            )}
          </ul>`
    }`
}
