// SPDX-License-Identifier: Apache-2.0
#include "tessera/codec/configuration.hpp"
#include "tessera/core/error.hpp"

#include "codec/buffer_checks.hpp"
#include "codec/chosen.hpp"
#include "codec/heap_room.hpp"
#include "codec/option_reader.hpp"
#include "codec/zstd_workspace.hpp"

#include <algorithm>
#include <blosc.h>
#include <cstring>
#include <fmt/format.h>

namespace tessera::detail {

namespace {

/// The header of a buffer in c-blosc's format (README_CHUNK_FORMAT.rst).
struct blosc_header {
  std::size_t decoded_size = 0;
  std::size_t encoded_size = 0;
  std::size_t block_size = 0;
  std::size_t itemsize = 0;
  bool is_copy = false;
};

blosc_header read_header(std::span<const std::byte> in) {
  blosc_header header;
  int flags = 0;
  blosc_cbuffer_sizes(in.data(), &header.decoded_size, &header.encoded_size, &header.block_size);
  blosc_cbuffer_metainfo(in.data(), &header.itemsize, &flags);
  header.is_copy = (flags & BLOSC_MEMCPYED) != 0;
  return header;
}

constexpr std::size_t kib = 1024;

/// The greatest automatic block of any version of c-blosc: version 1.7 chose 4 MiB at level 9 for
/// lz4hc and zlib with elements of 8 bytes (compute_blocksize in blosc.c).
constexpr std::size_t greatest_foreign_block = 4096 * kib;

/// Returns the greatest automatic block of the linked c-blosc (compute_blocksize).
std::size_t greatest_automatic_block(const codec::blosc& options) {
  // Splitting by the bytes of an element, which zstd never does, enlarges a block up to 1 MiB.
  if (options.cname != "zstd") return 1024 * kib;
  constexpr std::array<std::size_t, 10> kib_by_level{16,  32,  64,  128, 256,
                                                     256, 512, 512, 512, 1024};
  return kib_by_level[static_cast<std::size_t>(options.clevel)] * kib;
}

/// Returns an upper bound of the memory of the compressor under blosc while it encodes a block.
std::size_t inner_workspace(const codec::blosc& options, std::size_t block) {
  if (options.cname == "blosclz") return 96 * kib;  // a hash table on the stack
  if (options.cname == "lz4") return 32 * kib;      // a hash table on the stack
  if (options.cname == "lz4hc") return 320 * kib;   // LZ4_streamHC_t
  if (options.cname == "zlib") return 384 * kib;    // the state of deflate
  if (options.cname == "snappy") return 320 * kib;  // a hash table and two fragments of 64 KiB
  return zstd_encoder_size(options.clevel < 9 ? 2 * options.clevel - 1 : 22, block);
}

class blosc_codec final : public byte_codec {
 public:
  blosc_codec(codec::blosc options, std::size_t itemsize)
      : options_(std::move(options)), itemsize_(itemsize) {}

  [[nodiscard]] std::string_view id() const override { return "blosc"; }

  [[nodiscard]] std::string to_json() const override {
    return nlohmann::json{{"id", "blosc"},
                          {"cname", options_.cname},
                          {"clevel", options_.clevel},
                          {"shuffle", static_cast<int>(options_.shuffle)},
                          {"blocksize", options_.blocksize}}
        .dump();
  }

  [[nodiscard]] std::size_t max_encoded_size(std::size_t decoded_size) const override {
    if (decoded_size > BLOSC_MAX_BUFFERSIZE) {
      throw codec_error(
          fmt::format("codec blosc: a chunk may have at most {} B, found {} B: "
                      "choose smaller chunks",
                      BLOSC_MAX_BUFFERSIZE, decoded_size));
    }
    return decoded_size + BLOSC_MAX_OVERHEAD;
  }

  [[nodiscard]] std::size_t workspace_size(std::size_t decoded_size) const override {
    const std::size_t block = encoded_block(decoded_size);
    const std::size_t encoding = buffers_of(block) + inner_workspace(options_, block);
    // A header may name any compressor; zstd takes the most memory to decode.
    const std::size_t decoding = buffers_of(greatest_block(decoded_size)) + zstd_decoder_size;
    constexpr std::size_t page = 4096;  // posix_memalign adds at most one
    return std::max(encoding, decoding) + page;
  }

  [[nodiscard]] std::size_t encode(std::span<const std::byte> in,
                                   std::span<std::byte> out) const override {
    const std::size_t bound = max_encoded_size(in.size());
    require_encode_room(id(), in.size(), bound, out.size());
    const heap_room room(buffers_of(encoded_block(in.size())));
    const int written =
        blosc_compress_ctx(options_.clevel, shuffle(), itemsize_, in.size(), in.data(), out.data(),
                           bound, options_.cname.c_str(), options_.blocksize, 1);
    if (written <= 0) {
      throw codec_error(fmt::format("codec blosc: encoding {} B with {} failed with code {}",
                                    in.size(), options_.cname, written));
    }
    return static_cast<std::size_t>(written);
  }

  [[nodiscard]] std::size_t decode_at_most(std::span<const std::byte> in,
                                           std::span<std::byte> out) const override {
    const blosc_header header = checked_header(in, out.size());
    out = out.first(header.decoded_size);
    if (header.is_copy) {
      // As in blosc, without its two allocated blocks.
      if (!out.empty()) std::memcpy(out.data(), in.data() + BLOSC_MAX_OVERHEAD, out.size());
      return out.size();
    }
    const heap_room room(buffers_of(header.block_size));
    require_success(blosc_decompress_ctx(in.data(), out.data(), out.size(), 1), in, out);
    return out.size();
  }

  [[nodiscard]] bool decode_range(std::span<const std::byte> in, std::size_t decoded_size,
                                  std::size_t first_byte, std::span<std::byte> out) const override {
    const blosc_header header = checked_header(in, decoded_size);
    if (header.decoded_size != decoded_size || first_byte > decoded_size ||
        out.size() > decoded_size - first_byte) {
      throw codec_error(fmt::format("codec blosc: {} B from {} on must be among {} B, found {} B",
                                    out.size(), first_byte, decoded_size, header.decoded_size));
    }
    if (out.empty()) return true;
    if (header.is_copy) {
      std::memcpy(out.data(), in.data() + BLOSC_MAX_OVERHEAD + first_byte, out.size());
      return true;
    }
    if (first_byte % header.itemsize != 0 || out.size() % header.itemsize != 0) return false;
    // blosc_getitem decodes whole blocks into a temporary and copies from there. It pays off only
    // if it skips enough blocks.
    const std::size_t touched =
        (first_byte + out.size() - 1) / header.block_size - first_byte / header.block_size + 1;
    const std::size_t blocks = (decoded_size - 1) / header.block_size + 1;
    if (4 * touched > 3 * blocks) return false;
    // blosc_getitem takes no context and no lock.
    const heap_room room(buffers_of(header.block_size));
    require_success(blosc_getitem(in.data(), static_cast<int>(first_byte / header.itemsize),
                                  static_cast<int>(out.size() / header.itemsize), out.data()),
                    in, out);
    return true;
  }

 private:
  /// Returns the header of a buffer that is safe to pass to blosc.
  ///
  /// Throws: codec_error <- the header does not match the buffer, or blosc would allocate more
  /// memory than for `greatest_size` decoded bytes.
  [[nodiscard]] blosc_header checked_header(std::span<const std::byte> in,
                                            std::size_t greatest_size) const {
    std::size_t decoded_size = 0;
    if (blosc_cbuffer_validate(in.data(), in.size(), &decoded_size) < 0) {
      throw codec_error(
          fmt::format("codec blosc: {} B are no Blosc buffer: the header is cut "
                      "short or states another size",
                      in.size()));
    }
    blosc_header header = read_header(in);
    require_decode_room(id(), decoded_size, greatest_size);
    // An empty buffer counts as a copy: it has no blocks.
    header.is_copy =
        decoded_size == 0 || (header.is_copy && in.size() == decoded_size + BLOSC_MAX_OVERHEAD);
    const std::size_t greatest = greatest_block(decoded_size);
    if (!header.is_copy && header.block_size > greatest) {
      throw codec_error(fmt::format("codec blosc: a block may have at most {} B, found {} B",
                                    greatest, header.block_size));
    }
    if (!header.is_copy && (header.block_size == 0 || header.itemsize == 0)) {
      throw codec_error("codec blosc: blocks and elements must have a size, found none");
    }
    return header;
  }

  static void require_success(int result, std::span<const std::byte> in,
                              std::span<const std::byte> out) {
    if (result >= 0 && static_cast<std::size_t>(result) == out.size()) return;
    throw codec_error(fmt::format("codec blosc: the buffer of {} B is corrupt (blosc's code {})",
                                  in.size(), result));
  }

  [[nodiscard]] int shuffle() const {
    if (options_.shuffle != codec::auto_shuffle) return options_.shuffle;
    return itemsize_ == 1 ? codec::bit_shuffle : codec::byte_shuffle;
  }

  /// Returns the size that serial_blosc allocates without a check of the result: two blocks, and a
  /// 4-byte offset for each byte of an element, at most 255.
  static constexpr std::size_t buffers_of(std::size_t block) {
    return 2 * block + 4 * BLOSC_MAX_TYPESIZE;
  }

  /// Returns the greatest block that `encode` writes.
  [[nodiscard]] std::size_t encoded_block(std::size_t decoded_size) const {
    return std::min(decoded_size, std::max(greatest_automatic_block(options_), options_.blocksize));
  }

  /// Returns the greatest block that `decode` accepts.
  [[nodiscard]] std::size_t greatest_block(std::size_t decoded_size) const {
    return std::min(decoded_size, std::max(greatest_foreign_block, options_.blocksize));
  }

  codec::blosc options_;
  std::size_t itemsize_;
};

std::shared_ptr<const byte_codec> make_blosc_codec(std::string_view configuration,
                                                   codec_elements elements) {
  // Newer versions of numcodecs write "typesize", which `elements` give as well.
  const option_reader read(configuration, {"cname", "clevel", "shuffle", "blocksize", "typesize"});
  codec::blosc options;
  options.cname = read.string("cname", "lz4");
  options.clevel = static_cast<int>(read.integer("clevel", 5, 0, 9));
  options.shuffle = static_cast<codec::shuffle_mode>(read.integer("shuffle", 1, -1, 2));
  options.blocksize =
      static_cast<std::size_t>(read.integer("blocksize", 0, 0, BLOSC_MAX_BLOCKSIZE));
  if (blosc_compname_to_compcode(options.cname.c_str()) < 0) {
    throw codec_error(fmt::format("codec blosc: \"cname\" must be one of {}, found \"{}\"",
                                  blosc_list_compressors(), options.cname));
  }
  return std::make_shared<blosc_codec>(std::move(options), elements.itemsize);
}

}  // namespace
}  // namespace tessera::detail

namespace tessera::codec {

const known_codec blosc::known{"blosc", &detail::make_blosc_codec};

configuration blosc::chosen() const {
  return chosen_by({{"id", known.id},
                    {"cname", cname},
                    {"clevel", clevel},
                    {"shuffle", static_cast<int>(shuffle)},
                    {"blocksize", blocksize}});
}

}  // namespace tessera::codec
