// branches.cpp: one sandbox, prepared once, and a branch of it for each thing to be tried.
#include <pinfold.h>

#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>

struct Free {
    void operator()(pf_options *options) const { pf_options_free(options); }
    void operator()(pf_sandbox *sandbox) const { pf_sandbox_free(sandbox); }
};
using Options = std::unique_ptr<pf_options, Free>;
using Sandbox = std::unique_ptr<pf_sandbox, Free>;

static void check(pf_status status, const pf_error &error) {
    if (status != PF_OK) throw std::runtime_error(error.message);
}

static std::string run(const Sandbox &sandbox, const std::string &code) {
    pf_error error;
    pf_run request{};
    request.size = sizeof request;
    request.language = "shell";
    request.code = code.data();
    request.code_len = code.size();
    check(pf_sandbox_start(sandbox.get(), &request, &error), error);
    const pf_result *result = pf_sandbox_result(sandbox.get());
    return {result->stdout_data, result->stdout_len};
}

int main() {
    pf_error error;
    pf_sandbox *made = nullptr;
    Options options(pf_options_new());
    check(pf_sandbox_new(options.get(), &made, &error), error);
    Sandbox trunk(made);
    run(trunk, "seq 5 > numbers");
    for (const char *attempt : {"sort -rn numbers | head -1", "paste -sd+ numbers"}) {
        check(pf_sandbox_fork(trunk.get(), &made, &error), error);
        std::cout << run(Sandbox(made), attempt);
    }
}
