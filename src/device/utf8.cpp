#include "device/utf8.hpp"

#include <nlohmann/json.hpp>

namespace clgemm::core {

std::string as_utf8(const std::string& text)
{
    using Json = nlohmann::json;
    return Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace)).get<std::string>();
}

} // namespace clgemm::core
