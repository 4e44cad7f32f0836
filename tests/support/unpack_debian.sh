# For scripts that source it: packages of any Debian, unpacked in a folder, without installing anything on the system.

# unpack_debian SUITE ARCHITECTURE PACKAGE...: the packages with all that they need down to the C library, in the folder `root`
# of the current one. Nothing is configured, so that no root is needed. DEBIAN_MIRROR, DEBIAN_KEYRING and DEBIAN_COMPONENTS may name
# another source, such as Ubuntu's.
unpack_debian()
{
    local mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian} keyring=${DEBIAN_KEYRING:-/usr/share/keyrings/debian-archive-keyring.gpg}
    local suite=$1 architecture=$2
    shift 2
    mkdir -p apt/lists/partial apt/archives/partial apt/parts root
    touch apt/status
    echo "deb [signed-by=$keyring] $mirror $suite ${DEBIAN_COMPONENTS:-main}" > apt/sources.list
    cat > apt/apt.conf << CONFIGURATION
APT::Architecture "$architecture";
APT::Architectures { "$architecture"; };
Dir::State "$PWD/apt";
Dir::State::Lists "$PWD/apt/lists";
Dir::State::Status "$PWD/apt/status";
Dir::Cache "$PWD/apt";
Dir::Cache::Archives "$PWD/apt/archives";
Dir::Etc::SourceList "$PWD/apt/sources.list";
Dir::Etc::SourceParts "$PWD/apt/parts";
APT::Sandbox::User "";
CONFIGURATION
    APT_CONFIG=$PWD/apt/apt.conf apt-get update -q
    APT_CONFIG=$PWD/apt/apt.conf apt-get install -y -q --no-install-recommends --download-only "$@"
    for package in apt/archives/*.deb; do
        dpkg-deb -x "$package" root
    done
    rm -rf apt
}
