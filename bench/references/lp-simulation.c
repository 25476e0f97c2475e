/* The references of `npm run bench -- lp` in C: the same plain simulation as lp-simulation.py, once as anybody would write it
 * (libm) and once in lanes, with polynomials of its own for the logarithm, the sine and the cosine, so that the compiler uses the
 * vector unit for all of it (vectorised): about what the machine can do.
 *
 * Reads lines "MODE PATHS STEPS PRICE SIGMA DRIFT YEARS LOWER UPPER LOWER UPPER ...", MODE libm or vectorised, and answers each
 * with {"cpuMs":N,"timeInRange":[...],"il":[...]}. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { LANES = 64, MAX_RANGES = 16 };

typedef struct {
  int paths, steps, ranges;
  double price, sigma, drift, years;
  double lower[MAX_RANGES], upper[MAX_RANGES];
} Run;

typedef struct {
  double share[MAX_RANGES], loss[MAX_RANGES];
} Sums;

static uint32_t state[4][LANES];
static uint32_t words[LANES];

static void seed_lanes(void) {
  uint32_t word = 1;
  for (int row = 0; row < 4; row++)
    for (int lane = 0; lane < LANES; lane++) {
      word += 0x9e3779b9u;
      uint32_t bits = word;
      bits = (bits ^ (bits >> 16)) * 0x85ebca6bu;
      bits = (bits ^ (bits >> 13)) * 0xc2b2ae35u;
      state[row][lane] = bits ^ (bits >> 16);
    }
}

static inline uint32_t next_word(int lane) {
  uint32_t scaled = state[1][lane] * 5, word = ((scaled << 7) | (scaled >> 25)) * 9, shifted = state[1][lane] << 9;
  state[2][lane] ^= state[0][lane];
  state[3][lane] ^= state[1][lane];
  state[1][lane] ^= state[2][lane];
  state[0][lane] ^= state[3][lane];
  state[2][lane] ^= shifted;
  state[3][lane] = (state[3][lane] << 11) | (state[3][lane] >> 21);
  return word;
}

static void next_words(void) {
  for (int lane = 0; lane < LANES; lane++) words[lane] = next_word(lane);
}

static void add_losses(const Run *run, double end, Sums *sums) {
  double price = run->price * exp(end);
  for (int range = 0; range < run->ranges; range++) {
    double lower = run->lower[range], upper = run->upper[range];
    double held = sqrt(fmin(fmax(price, lower), upper)), entry = sqrt(fmin(fmax(run->price, lower), upper));
    double value = (1 / held - 1 / sqrt(upper)) * price + held - sqrt(lower);
    double hodl = (1 / entry - 1 / sqrt(upper)) * price + entry - sqrt(lower);
    sums->loss[range] += value / hodl - 1;
  }
}

static void simulate_libm(const Run *run, Sums *sums) {
  double scatter = run->sigma * sqrt(run->years / run->steps);
  double trend = (run->drift - run->sigma * run->sigma / 2) * run->years / run->steps;
  double low[MAX_RANGES], high[MAX_RANGES];
  for (int range = 0; range < run->ranges; range++) {
    low[range] = log(run->lower[range] / run->price);
    high[range] = log(run->upper[range] / run->price);
  }
  for (int path = 0; path < run->paths; path++) {
    double x = 0, other = 0;
    for (int step = 1; step <= run->steps; step++) {
      double normal = other;
      if (step & 1) {
        double radius = sqrt(-2 * log((next_word(0) + 0.5) / 4294967296.0));
        double angle = 2 * M_PI * (next_word(0) + 0.5) / 4294967296.0;
        normal = radius * cos(angle);
        other = radius * sin(angle);
      }
      x += trend + scatter * normal;
      double weight = step == run->steps ? 0.5 : 1;
      for (int range = 0; range < run->ranges; range++)
        if (x >= low[range] && x < high[range]) sums->share[range] += weight;
    }
    add_losses(run, x, sums);
  }
}

/* Natural logarithm of a positive normal number, to 1e-11. */
static inline double fast_log(double value) {
  uint64_t bits;
  memcpy(&bits, &value, 8);
  double exponent = (double)(int)((bits >> 52) - 1023);
  bits = (bits & 0xfffffffffffffull) | 0x3ff0000000000000ull;
  double mantissa;
  memcpy(&mantissa, &bits, 8);
  double halved = mantissa > M_SQRT2 ? 1.0 : 0.0;
  mantissa *= 1.0 - 0.5 * halved;
  double s = (mantissa - 1) / (mantissa + 1), q = s * s;
  double series = 1 + q * (1 / 3.0 + q * (1 / 5.0 + q * (1 / 7.0 + q * (1 / 9.0 + q * (1 / 11.0 + q / 13.0)))));
  return (exponent + halved) * M_LN2 + 2 * s * series;
}

/* Sine and cosine of half a turn times t, t from -1 to 1, by the half angle. */
static inline void fast_sincos(double t, double *sine, double *cosine) {
  double a = M_PI / 2 * t, q = a * a;
  double s = a * (1 - q / 6 * (1 - q / 20 * (1 - q / 42 * (1 - q / 72 * (1 - q / 110 * (1 - q / 156 * (1 - q / 210)))))));
  double c = 1 - q / 2 * (1 - q / 12 * (1 - q / 30 * (1 - q / 56 * (1 - q / 90 * (1 - q / 132 * (1 - q / 182 * (1 - q / 240)))))));
  *sine = 2 * s * c;
  *cosine = 1 - 2 * s * s;
}

static void simulate_vectorised(const Run *run, Sums *sums) {
  double scatter = run->sigma * sqrt(run->years / run->steps);
  double trend = (run->drift - run->sigma * run->sigma / 2) * run->years / run->steps;
  double low[MAX_RANGES], high[MAX_RANGES];
  for (int range = 0; range < run->ranges; range++) {
    low[range] = run->lower[range] > 0 ? log(run->lower[range] / run->price) : -1e300;
    high[range] = log(run->upper[range] / run->price);
  }
  for (int first = 0; first < run->paths; first += LANES) {
    double x[LANES] = {0}, other[LANES] = {0}, inside[MAX_RANGES][LANES] = {{0}};
    for (int step = 1; step <= run->steps; step++) {
      double normal[LANES];
      if (step & 1) {
        double radial[LANES], angular[LANES];
        next_words();
        for (int lane = 0; lane < LANES; lane++) radial[lane] = ((int32_t)words[lane] + 2147483648.5) / 4294967296.0;
        next_words();
        for (int lane = 0; lane < LANES; lane++) angular[lane] = ((int32_t)words[lane] + 0.5) / 2147483648.0;
        for (int lane = 0; lane < LANES; lane++) {
          double radius = sqrt(-2 * fast_log(radial[lane])), sine, cosine;
          fast_sincos(angular[lane], &sine, &cosine);
          normal[lane] = radius * cosine;
          other[lane] = radius * sine;
        }
      } else {
        memcpy(normal, other, sizeof normal);
      }
      for (int lane = 0; lane < LANES; lane++) x[lane] += trend + scatter * normal[lane];
      double weight = step == run->steps ? 0.5 : 1;
      for (int range = 0; range < run->ranges; range++) {
        double from = low[range], to = high[range];
        for (int lane = 0; lane < LANES; lane++) inside[range][lane] += ((x[lane] >= from) & (x[lane] < to)) ? weight : 0.0;
      }
    }
    int count = run->paths - first < LANES ? run->paths - first : LANES;
    for (int lane = 0; lane < count; lane++) {
      for (int range = 0; range < run->ranges; range++) sums->share[range] += inside[range][lane];
      add_losses(run, x[lane], sums);
    }
  }
}

static void print_list(const char *name, const double *sums, int count, double scale) {
  printf(",\"%s\":[", name);
  for (int index = 0; index < count; index++) printf("%s%.10f", index ? "," : "", sums[index] / scale);
  printf("]");
}

int main(void) {
  char mode[16];
  Run run;
  seed_lanes();
  while (scanf("%15s %d %d %lf %lf %lf %lf", mode, &run.paths, &run.steps, &run.price, &run.sigma, &run.drift, &run.years) == 7) {
    char more = ' ';
    run.ranges = 0;
    while (more != '\n' && run.ranges < MAX_RANGES && scanf("%lf %lf%c", &run.lower[run.ranges], &run.upper[run.ranges], &more) == 3)
      run.ranges++;
    Sums sums = {{0}, {0}};
    clock_t begin = clock();
    if (mode[0] == 'l') simulate_libm(&run, &sums);
    else simulate_vectorised(&run, &sums);
    double ms = 1000.0 * (double)(clock() - begin) / CLOCKS_PER_SEC;
    for (int range = 0; range < run.ranges; range++)
      if (run.lower[range] <= run.price && run.price < run.upper[range]) sums.share[range] += 0.5 * run.paths;
    printf("{\"cpuMs\":%.3f", ms);
    print_list("timeInRange", sums.share, run.ranges, (double)run.paths * run.steps);
    print_list("il", sums.loss, run.ranges, run.paths);
    printf("}\n");
    fflush(stdout);
  }
  return 0;
}
