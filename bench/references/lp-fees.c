/* The fee loop of a backtest in plain C. Arguments: file of columns (low, high, in0, in1, liquidity; doubles), bars, rounds. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const double ranges[4][2] = {{200000, 202000}, {200500, 201500}, {200900, 201200}, {201000, 201200}};

static double replay(const double *columns, long bars, const double *range, double *share, double *fee0, double *fee1) {
  const double *low = columns, *high = low + bars, *in0 = high + bars, *in1 = in0 + bars, *there = in1 + bars;
  const double own = 1e17, fee = 500e-6;
  double sum = 0;
  for (long bar = 0; bar < bars; bar++) {
    double inside = 0;
    if (low[bar] >= range[0] && high[bar] < range[1]) inside = 1;
    else if (high[bar] > range[0] && low[bar] < range[1]) {
      double from = low[bar] > range[0] ? low[bar] : range[0], to = high[bar] < range[1] ? high[bar] : range[1];
      inside = (to - from) / (high[bar] - low[bar]);
    }
    double paid = inside * own * fee / (there[bar] + own);
    share[bar] = inside;
    fee0[bar] = in0[bar] * paid;
    fee1[bar] = in1[bar] * paid;
  }
  for (long bar = 0; bar < bars; bar++) sum += fee0[bar];
  return sum;
}

int main(int count, char **arguments) {
  if (count != 4) return 2;
  long bars = atol(arguments[2]), rounds = atol(arguments[3]);
  double *columns = malloc(5 * bars * sizeof(double)), *out = malloc(3 * bars * sizeof(double));
  FILE *file = fopen(arguments[1], "rb");
  if (!columns || !out || !file || fread(columns, sizeof(double), 5 * bars, file) != (size_t)(5 * bars)) return 1;
  double best = 1e300, fees = 0;
  for (long round = 0; round < rounds; round++) {
    clock_t before = clock();
    fees = 0;
    for (int range = 0; range < 4; range++)
      fees += replay(columns, bars, ranges[range], out, out + bars, out + 2 * bars);
    double ms = (clock() - before) * 1e3 / CLOCKS_PER_SEC;
    if (ms < best) best = ms;
  }
  printf("{\"ms\":%.3f,\"fees0\":%.17g}\n", best, fees);
  return 0;
}
