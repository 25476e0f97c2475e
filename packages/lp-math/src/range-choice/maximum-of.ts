/**
 * Where a smooth function is greatest between two points, and how great: the best of `samples` equal steps, refined by golden sections
 * around it. Several hills are distinguished as far as the steps do.
 */
export function maximumOf(f: (x: number) => number, { from, to, samples, sections }: SearchOptions): Maximum {
  const step = (to - from) / (samples - 1)
  let best: Maximum = { at: from, value: f(from) }
  for (let sample = 1; sample < samples; sample += 1) best = better(best, at(f, from + sample * step))
  let [left, right] = [Math.max(best.at - step, from), Math.min(best.at + step, to)]
  let [low, high] = [at(f, right - GOLDEN * (right - left)), at(f, left + GOLDEN * (right - left))]
  for (let section = 0; section < sections; section += 1) {
    if (low.value >= high.value) {
      ;[right, high] = [high.at, low]
      low = at(f, right - GOLDEN * (right - left))
    } else {
      ;[left, low] = [low.at, high]
      high = at(f, left + GOLDEN * (right - left))
    }
  }
  return better(better(best, low), high)
}

export type SearchOptions = {
  readonly from: number
  readonly to: number
  readonly samples: number
  readonly sections: number
}

export type Maximum = { readonly at: number; readonly value: number }

const GOLDEN = (Math.sqrt(5) - 1) / 2

function at(f: (x: number) => number, x: number): Maximum {
  return { at: x, value: f(x) }
}

function better(one: Maximum, other: Maximum): Maximum {
  return other.value > one.value ? other : one
}
