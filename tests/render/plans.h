#pragma once

#include "tests/support/plans.h"

namespace berth::test {

// Five buffers of 4 bytes, three live at once: 12 bytes, proved least.
inline Plan five_boxes() {
  Plan plan = plan_of(arena(12), {buffer("b1", {0, 3}, 4, 8), buffer("b2", {3, 9}, 4, 8),
                                  buffer("b3", {0, 9}, 4, 4), buffer("b4", {9, 21}, 4, 4),
                                  buffer("b5", {0, 21}, 4, 0)});
  plan.source.file = "five.csv";
  plan.packer = "auto";
  plan.ordering = "in-order per device";
  return plan;
}

// Two arenas, padding, a reserve, a view, a taker, gaps, names of all kinds, tensors kept apart.
inline Plan everything() {
  Plan plan;
  plan.source.file = "speech_commands.tflite";
  plan.packer = "tlsf";
  plan.seed = 7;
  plan.ordering = "in-order per device";
  plan.cut = true;
  plan.step_names = {"input", "conv1", "conv1/relu", "pool", "dense"};
  plan.arenas = {arena(1536, 1), arena(512, 2)};
  plan.arenas[0].unit = alignment(256);
  plan.arenas[0].figures = {Bytes(1792), Bytes(1536), Bytes(1130), Bytes(1536), 1};
  plan.arenas[0].capacity = Bytes(4096);
  plan.arenas[0].reserve = Bytes(1024);
  plan.arenas[1].device = "GPU:0";
  plan.arenas[1].tier = "sram";
  plan.buffers = {buffer("x", {0, 2}, 512, 0),
                  buffer("a_rather_long_name/of_the_first_convolution/output:0", {1, 3}, 600, 512),
                  buffer("relu <in place> & more", {2, 4}, 512, 512),
                  buffer("x/row", {1, 2}, 128, 128),
                  buffer("scratch\x1B[31m", {1, 4}, 18, 1536),
                  buffer("copy", {2, 5}, 512, 0),
                  buffer("nothing", {0, 1}, 0, 0)};
  plan.buffers[2].reuses = 1;
  plan.buffers[3].view_of = 0;
  plan.buffers[4].gaps = {{{2, 3}, ByteRange{0, 2}}};
  plan.buffers[5].arena = 1;
  plan.kept = {{"weights", KeptWhy::Constant, Bytes(213000)},
               {"bias", KeptWhy::Constant, Bytes(64)},
               {"h", KeptWhy::Held, Bytes(256)}};
  return plan;
}

}  // namespace berth::test
